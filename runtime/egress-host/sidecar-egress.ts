import { isDeepStrictEqual } from 'node:util';
import type { ContainerBackend } from '../containers/container-backend.ts';
import type { EgressState, EgressStats } from '../contracts/egress.ts';
import { BerthError } from '../contracts/errors.ts';
import type { ContainerId } from '../contracts/ids.ts';
import { ProxyAdmin, ProxyAdminError } from '../egress/admin/admin-client.ts';
import { stateHash } from '../egress/state-hash.ts';
import type { InstallationSecret } from '../identity/installation-secret.ts';
import type { SettingsOwner } from '../state/egress-settings-store.ts';
import { type ContainerEgress, WayOutLost } from './container-egress.ts';
import type { EgressRules } from './egress-rules.ts';
import type { EgressService } from './egress-service.ts';
import type { EgressTotals } from './egress-totals.ts';

/** How often rules are put again because they changed while they were on their way. */
const PUTS = 3;

interface Parts {
  backend: Pick<ContainerBackend, 'endpoint'>;
  secret: InstallationSecret;
  rules: EgressRules;
  totals: EgressTotals;
  /** Who has the rules instead of the sidecars, which only pass on. */
  service: EgressService | undefined;
  /** The store's time, in milliseconds. */
  now: () => Promise<number>;
}

/** Egress by a proxy beside each container, which lives and dies with it and is told its rules over the network. */
export class SidecarEgress implements ContainerEgress {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async open(container: ContainerId, owner: SettingsOwner | undefined): Promise<void> {
    const { rules } = this.#parts;
    let state = await rules.stateFor(owner);
    for (let puts = 1; ; puts += 1) {
      await this.put(container, state);
      const now = await rules.stateFor(owner);
      if (puts === PUTS || isDeepStrictEqual(now, state)) return;
      state = now;
    }
  }

  async claim(container: ContainerId, owner: SettingsOwner): Promise<void> {
    if ((await this.#parts.rules.settings.of(owner)) !== undefined) await this.open(container, owner);
  }

  async stop(container: ContainerId): Promise<void> {
    const { service, totals } = this.#parts;
    totals.end(container, null);
    for (const { address, stats } of (await service?.remove(container)) ?? []) {
      totals.end(`${container} at ${address}`, stats ?? null);
    }
  }

  async prove(container: ContainerId, host: string): Promise<void> {
    await this.#call(container, (admin, counter) => admin.stats(counter), host);
  }

  /** Throws `WayOutLost` when it is the container's own proxy that does not take it. */
  async put(container: ContainerId, state: EgressState): Promise<void> {
    const { service } = this.#parts;
    if (service !== undefined) await service.put(container, state);
    else await this.#call(container, (admin, counter) => admin.putState(state, counter));
  }

  /** A sidecar's counters, and whether it has these rules. */
  async look(
    container: ContainerId,
    state: EgressState,
  ): Promise<{ stats: EgressStats; isCurrent: boolean }> {
    return this.#call(container, async (admin, counter) => {
      const { stats, stateSha256 } = await admin.look(counter);
      return { stats, isCurrent: stateSha256 === stateHash(state) };
    });
  }

  async #call<T>(
    container: ContainerId,
    call: (admin: ProxyAdmin, counter: number) => Promise<T>,
    host?: string,
  ): Promise<T> {
    const { backend, secret, now } = this.#parts;
    const [endpoint, time] = await Promise.all([backend.endpoint(container, 'proxy'), now()]);
    if (endpoint.kind !== 'address') {
      throw new BerthError('INTERNAL', `${container} has no egress proxy beside it`);
    }
    const url = `http://${host ?? endpoint.host}:${endpoint.port}`;
    try {
      return await call(new ProxyAdmin(url, secret.proxyAdminKey(container)), time * 1000);
    } catch (error) {
      if (!(error instanceof ProxyAdminError)) throw error;
      throw new WayOutLost(container, error, error.reason === 'impostor');
    }
  }
}
