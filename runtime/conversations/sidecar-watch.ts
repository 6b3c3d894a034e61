import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { EgressState, EgressStats } from '../contracts/egress.ts';
import type { ContainerId } from '../contracts/ids.ts';
import { stateHash } from '../egress/state-hash.ts';
import { WayOutLost } from '../egress-host/container-egress.ts';
import type { EgressRules } from '../egress-host/egress-rules.ts';
import type { EgressService, ServiceLook } from '../egress-host/egress-service.ts';
import type { EgressTotals } from '../egress-host/egress-totals.ts';
import type { SettingsOwner } from '../state/egress-settings-store.ts';
import type { State } from '../state/state.ts';
import { allRecords } from '../sweep/all-records.ts';
import { Leadership } from '../sweep/leadership.ts';
import { sideBySide } from '../sweep/side-by-side.ts';

const SIDE_BY_SIDE = 16;
/** How often rules are put again because they changed while they were on their way. */
const PUTS = 3;

interface Parts {
  state: Pick<State, 'conversations' | 'warmPool' | 'leases'>;
  rules: EgressRules;
  totals: EgressTotals;
  egress: {
    put(container: ContainerId, state: EgressState): Promise<void>;
    look(container: ContainerId, state: EgressState): Promise<{ stats: EgressStats; isCurrent: boolean }>;
  };
  /** Who has the rules instead of the sidecars. */
  service: EgressService | undefined;
  /** Containers of others that have a proxy beside them, too. */
  others: () => Promise<ContainerId[]>;
  instance: string;
  log: Logger;
  /** What answers in the place of a container's proxy is not that proxy. */
  onLost: (container: ContainerId) => Promise<void>;
}

interface Visited {
  container: ContainerId;
  owner: SettingsOwner | undefined;
}

/**
 * Counts what the proxies of all containers did, and tells those that have other rules than they should: new
 * credentials, or a change that did not arrive. Only one instance does.
 */
export class SidecarWatch {
  readonly #parts: Parts;
  readonly #lead: Leadership;
  /** Whether the round before was ours too: what the proxies counted until then is counted. */
  #leading = false;
  /** What could not be looked at since it became ours: how much of it others have counted is not known. */
  readonly #unseen = new Set<string>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#lead = new Leadership(parts.state.leases, 'egress', parts.instance);
    parts.totals.counts = false; // until it leads
  }

  async runOnce(): Promise<void> {
    const leads = await this.#lead.held();
    this.#parts.totals.counts = leads;
    if (!leads) {
      this.#leading = false;
      this.#unseen.clear();
      return;
    }
    const { service } = this.#parts;
    const looks = await service?.look();
    await sideBySide(SIDE_BY_SIDE, this.#all(), async (visited) => {
      try {
        if (looks === undefined) await this.#visit(visited);
        else for (const look of looks) await this.#visitAt(look, visited);
      } catch (error) {
        await this.#failed(visited.container, error);
      }
    });
    this.#leading = true;
  }

  async close(): Promise<void> {
    await this.#lead.resign();
  }

  async *#all(): AsyncGenerator<Visited> {
    const { state } = this.#parts;
    for await (const record of allRecords(state.conversations)) {
      // Who prepares it opens it.
      if (record.status !== 'preparing') yield { container: record.container, owner: record };
    }
    for (const { container } of (await state.warmPool.look()).members) yield { container, owner: undefined };
    for (const container of await this.#parts.others()) yield { container, owner: undefined };
  }

  async #visit({ container, owner }: Visited): Promise<void> {
    const { egress, rules } = this.#parts;
    const { stats, isCurrent } = await egress.look(container, await rules.stateFor(owner));
    this.#count(container, stats);
    if (!isCurrent) await this.#put(container, (state) => egress.put(container, state));
  }

  /** It may be claimed meanwhile, or its settings changed: who does that puts its rules before we do, or after. */
  async #put(container: ContainerId, put: (state: EgressState) => Promise<void> | undefined): Promise<void> {
    const { rules, state: stores } = this.#parts;
    const rulesNow = async () => rules.stateFor(await stores.conversations.findByContainer(container));
    let wanted = await rulesNow();
    for (let puts = 1; ; puts += 1) {
      await put(wanted);
      const now = await rulesNow();
      if (puts === PUTS || isDeepStrictEqual(now, wanted)) return;
      wanted = now;
    }
  }

  /** At one address of the service. One that was started anew, or has one more address, knows nobody. */
  async #visitAt({ address, containers }: ServiceLook, { container, owner }: Visited): Promise<void> {
    const known = containers.get(container);
    if (known !== undefined) this.#count(`${container} at ${address}`, known.stats);
    if (known?.stateSha256 === stateHash(await this.#parts.rules.stateFor(owner))) return;
    await this.#put(container, (state) => this.#parts.service?.put(container, state, address));
  }

  #count(name: string, stats: EgressStats): void {
    const { totals } = this.#parts;
    if (!this.#unseen.delete(name) && this.#leading) totals.take(name, stats);
    else totals.begin(name, stats);
  }

  /** One that only does not answer is the health checks' to judge. */
  async #failed(container: ContainerId, error: unknown): Promise<void> {
    const { log, onLost } = this.#parts;
    if (!this.#leading) this.#unseen.add(container);
    log.warn({ err: error, container_id: container }, 'the egress proxy of a container could not be seen to');
    if (error instanceof WayOutLost && error.isImpostor) await onLost(container);
  }
}
