import type { Config } from '../contracts/environment.ts';
import type { ContainerId } from '../contracts/ids.ts';
import type { InstallationSecret } from '../identity/installation-secret.ts';

type Secrets = Pick<InstallationSecret, 'proxyAdminKey' | 'egressCredential'>;

/** What the egress proxy beside a container is given, on backends where it has one. */
export class ProxyEnvironment {
  readonly #secrets: Secrets;
  /** Of the proxy that serves all, where there is one: those beside containers pass everything on to it. */
  readonly #serviceUrl: string | undefined;

  constructor(secrets: Secrets, config: Pick<Config, 'EGRESS_MODE' | 'EGRESS_PROXY_URL'>) {
    this.#secrets = secrets;
    this.#serviceUrl = config.EGRESS_MODE === 'service' ? config.EGRESS_PROXY_URL : undefined;
  }

  of(container: ContainerId): Record<string, string> {
    return this.#with(this.#secrets.proxyAdminKey(container), this.#secrets.egressCredential(container));
  }

  /** All that does not depend on whose it is. */
  ofNobody(): Record<string, string> {
    return this.#with('', '');
  }

  #with(adminKey: string, credential: string): Record<string, string> {
    return {
      PROXY_ADMIN_KEY: adminKey,
      ...(this.#serviceUrl === undefined
        ? {}
        : { EGRESS_PROXY_URL: this.#serviceUrl, EGRESS_CREDENTIAL: credential }),
    };
  }
}
