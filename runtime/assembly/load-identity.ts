import type { Config } from '../contracts/environment.ts';
import { type InstallationId, parseInstallationId } from '../contracts/ids.ts';
import { InstallationSecret } from '../identity/installation-secret.ts';
import { type DataDirectory, randomHex } from '../lifecycle/data-directory.ts';
import { StartFailure } from '../lifecycle/start-failure.ts';

/** The installation's id and secret: as configured, else kept in the data directory from the first start on. */
export function loadIdentity(
  config: Config,
  data: DataDirectory,
): { installation: InstallationId; secret: InstallationSecret } {
  const name = config.BERTH_INSTALLATION ?? data.readOrCreate('installation', () => randomHex(6));
  const secret = config.BERTH_SECRET ?? data.readOrCreate('secret', () => randomHex(32));
  const installation = parseInstallationId(name);
  if (installation === undefined || !/^[0-9a-f]{64}$/i.test(secret)) {
    throw new StartFailure(
      `The installation or the secret in ${data.path} is damaged: restore the files "installation" and "secret", ` +
        'or remove both to begin anew',
    );
  }
  return { installation, secret: new InstallationSecret(Buffer.from(secret, 'hex')) };
}
