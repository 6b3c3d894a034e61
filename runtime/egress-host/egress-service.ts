import { hash } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { EgressState, EgressStats } from '../contracts/egress.ts';
import { BerthError } from '../contracts/errors.ts';
import type { ContainerId } from '../contracts/ids.ts';
import { ProxyAdmin, type ProxyLook } from '../egress/admin/admin-client.ts';
import { Turnstile } from '../egress/proxy/turnstile.ts';
import { type OnwardProxy, parseOnwardProxy } from '../egress/settings.ts';
import type { InstallationSecret } from '../identity/installation-secret.ts';

/** The service keeps few connections for its admin side. */
const CALLS_AT_ONCE = 3;

interface Parts {
  /** Where containers' requests are passed on to. */
  url: string;
  /** Where it is told whom to let through: of every address that this name has. */
  adminUrl: string;
  adminKey: string;
  secret: InstallationSecret;
  /** The store's time, in milliseconds. */
  now: () => Promise<number>;
}

/** What one of the service's addresses knows. */
export interface ServiceLook {
  address: string;
  containers: Map<string, ProxyLook>;
}

/** The proxy as a service apart, of strict mode. Each container is known there by its credential. */
export class EgressService {
  readonly #parts: Parts;
  readonly #admins = new Map<string, ProxyAdmin>();
  readonly #limit = new Turnstile(CALLS_AT_ONCE);

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  onward(container: ContainerId): OnwardProxy {
    return parseOnwardProxy(this.#parts.url, container, this.#parts.secret.egressCredential(container));
  }

  /** Throws `EGRESS_UNAVAILABLE` unless every address has taken it, or the one that is named. */
  async put(container: ContainerId, state: EgressState, only?: string): Promise<void> {
    const credential_sha256 = hash('sha256', this.#parts.secret.egressCredential(container));
    await this.#atEach(
      (admin, counter) => admin.putContainer(container, { credential_sha256, state }, counter),
      only,
    );
  }

  /** The last that each address counted for it. */
  async remove(container: ContainerId): Promise<{ address: string; stats: EgressStats | undefined }[]> {
    return this.#atEach(async (admin, counter, address) => ({
      address,
      stats: await admin.removeContainer(container, counter),
    }));
  }

  async look(): Promise<ServiceLook[]> {
    return this.#atEach(async (admin, counter, address) => ({
      address,
      containers: await admin.lookAtAll(counter),
    }));
  }

  async #atEach<Result>(
    call: (admin: ProxyAdmin, counter: number, address: string) => Promise<Result>,
    only?: string,
  ): Promise<Result[]> {
    try {
      const addresses = only === undefined ? await this.#addresses() : [only];
      const counter = (await this.#parts.now()) * 1000;
      return await Promise.all(
        addresses.map((address) => this.#limit.run(() => call(this.#admin(address), counter, address))),
      );
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new BerthError('EGRESS_UNAVAILABLE', `the egress service: ${why}`, {}, error);
    }
  }

  async #addresses(): Promise<string[]> {
    const host = new URL(this.#parts.adminUrl).hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0) return [host];
    return (await lookup(host, { all: true })).map(({ address }) => address);
  }

  #admin(address: string): ProxyAdmin {
    const known = this.#admins.get(address);
    if (known !== undefined) return known;
    const url = new URL(this.#parts.adminUrl);
    url.hostname = isIP(address) === 6 ? `[${address}]` : address;
    const admin = new ProxyAdmin(url.href, this.#parts.adminKey);
    this.#admins.set(address, admin);
    return admin;
  }
}
