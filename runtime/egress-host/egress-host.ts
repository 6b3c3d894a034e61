import { connect } from 'node:net';
import type { Logger } from 'pino';
import type { ContainerBackend } from '../containers/container-backend.ts';
import type { EgressStats } from '../contracts/egress.ts';
import { BerthError } from '../contracts/errors.ts';
import type { ContainerId } from '../contracts/ids.ts';
import type { SettingsOwner } from '../state/egress-settings-store.ts';
import type { ContainerEgress } from './container-egress.ts';
import type { EgressRules } from './egress-rules.ts';
import type { EgressService } from './egress-service.ts';
import type { EgressTotals } from './egress-totals.ts';
import { type ProxyChild, ProxyFailed } from './proxy-child.ts';

interface Parts {
  backend: Pick<ContainerBackend, 'endpoint'>;
  child: ProxyChild;
  rules: EgressRules;
  totals: EgressTotals;
  /** Who has the rules instead of the proxy on this machine, which only passes on. */
  service: EgressService | undefined;
  log: Logger;
  /** Connections through the proxy broke, but it is there again; or it could not be opened again. */
  onRestarted: (container: ContainerId, open: boolean) => void;
}

/** Egress by a proxy on this machine, with a socket for each container that this instance looks after. */
export class EgressHost implements ContainerEgress {
  readonly #parts: Parts;
  readonly #open = new Map<ContainerId, SettingsOwner | undefined>();
  /** What is asked for one container is done in order. */
  readonly #turns = new Map<ContainerId, Promise<unknown>>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async open(container: ContainerId, owner: SettingsOwner | undefined): Promise<void> {
    await this.#inTurn(container, async () => {
      this.#open.set(container, owner);
      await this.#put(container, owner);
    });
  }

  async stop(container: ContainerId): Promise<void> {
    const { child, totals } = this.#parts;
    await this.#inTurn(container, async () => {
      await this.#forget(container);
      if (!this.#open.delete(container)) return;
      // A proxy that is away has nothing open.
      const last = await child.ask({ kind: 'remove', container }).catch(() => null);
      totals.end(container, last);
    });
  }

  /** Everything anew with the rules as they are now: there are new credentials. */
  async refresh(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((container) => this.#again(container)));
  }

  /** The child was started again and knows nothing: every container gets its way out back. */
  async restarted(): Promise<void> {
    const { totals, onRestarted } = this.#parts;
    totals.restart();
    await Promise.all(
      [...this.#open.keys()].map(async (container) => {
        const result = await this.#again(container);
        // One that is away again comes back again.
        if (result !== 'away') onRestarted(container, result === 'open');
      }),
    );
  }

  /** Reads the counters, and leaves to others what they took over. */
  async look(): Promise<void> {
    const { child, totals } = this.#parts;
    if (this.#open.size === 0) return;
    await this.#lookAtService();
    const { containers, superseded } = await child.ask({ kind: 'look' });
    // The cast: the child knows containers by the names we gave it.
    for (const [container, stats] of Object.entries(containers) as [ContainerId, EgressStats][]) {
      totals.take(container, stats);
    }
    for (const container of superseded as ContainerId[]) {
      this.#open.delete(container);
      totals.end(container, null);
    }
  }

  /** Whether a proxy, of this instance or another, listens for the container. */
  answers(container: ContainerId): Promise<boolean> {
    return new Promise((resolve) => {
      const connection = connect(this.#socket(container));
      connection.on('connect', () => {
        connection.destroy();
        resolve(true);
      });
      connection.on('error', () => resolve(false));
    });
  }

  async #again(container: ContainerId): Promise<'open' | 'failed' | 'away'> {
    try {
      await this.#inTurn(container, async () => {
        if (this.#open.has(container)) await this.#put(container, this.#open.get(container));
      });
      return 'open';
    } catch (error) {
      this.#parts.log.error({ err: error, container_id: container }, 'a container has no way out');
      return error instanceof ProxyFailed ? 'failed' : 'away';
    }
  }

  async #put(container: ContainerId, owner: SettingsOwner | undefined): Promise<void> {
    const { child, rules } = this.#parts;
    const { service } = this.#parts;
    const state = await rules.stateFor(owner);
    await service?.put(container, state);
    await child.ask({
      kind: 'put',
      container,
      at: { socket: this.#socket(container) },
      rules: service ? { kind: 'onward', proxy: service.onward(container) } : { kind: 'own', state },
    });
  }

  /** A service that was started anew, or has one more address, is told of the containers it does not know. */
  async #lookAtService(): Promise<void> {
    const { service, totals, rules } = this.#parts;
    for (const { address, containers } of (await service?.look()) ?? []) {
      for (const [container, stats] of containers) totals.take(`${container} at ${address}`, stats);
      const unknown = [...this.#open].filter(([container]) => !containers.has(container));
      for (const [container, owner] of unknown) {
        await service?.put(container, await rules.stateFor(owner), address);
      }
    }
  }

  async #forget(container: ContainerId): Promise<void> {
    const { service, totals, log } = this.#parts;
    try {
      for (const { address, stats } of (await service?.remove(container)) ?? []) {
        totals.end(`${container} at ${address}`, stats ?? null);
      }
    } catch (error) {
      log.warn(
        { err: error, container_id: container },
        'the egress service still knows a container that is gone',
      );
    }
  }

  async #inTurn(container: ContainerId, act: () => Promise<void>): Promise<void> {
    const turn = (this.#turns.get(container) ?? Promise.resolve()).then(act, act);
    this.#turns.set(container, turn);
    try {
      await turn;
    } finally {
      if (this.#turns.get(container) === turn) this.#turns.delete(container);
    }
  }

  #socket(container: ContainerId): string {
    const endpoint = this.#parts.backend.endpoint(container, 'proxy');
    if (endpoint.kind === 'socket') return endpoint.path;
    throw new BerthError('INTERNAL', `the proxy of ${container} is not on this machine`);
  }
}
