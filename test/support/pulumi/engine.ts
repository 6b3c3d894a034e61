import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../../../images/builder/cache-folder.ts';
import { lock } from '../../../images/builder/file-lock.ts';
import { findProgram } from '../../../images/builder/find-program.ts';
import { buildGoProgram, type GoProgram } from './go-program.ts';

const run = promisify(execFile);

const CLI: GoProgram = {
  name: 'pulumi',
  package: 'github.com/pulumi/pulumi/pkg/v3/cmd/pulumi',
  version: '3.250.0',
};
/** The last version whose module holds the host; it speaks to newer engines, and starts newer SDKs. */
const LANGUAGE_HOST: GoProgram = {
  name: 'pulumi-language-nodejs',
  package: 'github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs',
  version: '3.66.0',
};
export const REMEDY = `put pulumi ${CLI.version} or later on the path, or Go, of which it is built once`;

/**
 * The folder of a `pulumi` and its language host for Node: of the one on the path, or of one that is built from Go
 * modules into the cache, which takes five minutes once; or why there is none.
 */
export async function findPulumi(
  say: (line: string) => void,
): Promise<{ folder: string } | { problem: string }> {
  const installed = await installedPulumi(say);
  if (installed !== undefined) return { folder: dirname(installed) };
  const folder = join(cacheFolder('pulumi'), `${CLI.version}-${LANGUAGE_HOST.version}`);
  const absent = [LANGUAGE_HOST, CLI].filter(({ name }) => !existsSync(join(folder, name)));
  if (absent.length === 0) return { folder };

  const go = findProgram('go');
  if (go === undefined) return { problem: `neither pulumi ${CLI.version} nor Go is on the path` };
  const held = await lock(join(cacheFolder('pulumi'), 'lock'), () =>
    say('waiting for another run to build Pulumi'),
  );
  try {
    for (const program of absent) {
      const path = join(folder, program.name);
      if (existsSync(path)) continue;
      say(`building ${program.name} ${program.version} from Go modules: minutes, once`);
      await buildGoProgram(go, program, path, say);
    }
    return { folder };
  } catch (error) {
    return { problem: `Pulumi could not be built: ${error instanceof Error ? error.message : error}` };
  } finally {
    held.release();
  }
}

async function installedPulumi(say: (line: string) => void): Promise<string | undefined> {
  const path = findProgram('pulumi');
  if (path === undefined) return undefined;
  const { stdout } = await run(path, ['version'], {
    env: { ...process.env, PULUMI_SKIP_UPDATE_CHECK: 'true' },
  });
  const version = stdout.trim().replace(/^v/, '');
  if (isAtLeast(version, CLI.version)) return path;
  say(`${path} is ${version}, older than ${CLI.version}: it is not used`);
  return undefined;
}

export function isAtLeast(version: string, wanted: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [wantedMajor = 0, wantedMinor = 0] = wanted.split('.').map(Number);
  return major === wantedMajor && minor >= wantedMinor;
}
