import { connect } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { ContainerBackend } from '../containers/container-backend.ts';
import type { EgressState, EgressStats } from '../contracts/egress.ts';
import { BerthError } from '../contracts/errors.ts';
import type { ContainerId } from '../contracts/ids.ts';
import type { SettingsOwner } from '../state/egress-settings-store.ts';
import type { ContainerEgress } from './container-egress.ts';
import type { EgressRules } from './egress-rules.ts';
import type { EgressService } from './egress-service.ts';
import type { EgressTotals } from './egress-totals.ts';
import { type ProxyChild, ProxyFailed } from './proxy-child.ts';

/** How often rules are put again because they changed while they were on their way. */
const PUTS = 3;

interface Parts {
  backend: Pick<ContainerBackend, 'endpoint'>;
  child: ProxyChild;
  rules: EgressRules;
  totals: EgressTotals;
  /** Who has the rules instead of the proxy on this machine, which only passes on. */
  service: EgressService | undefined;
  /** Whose the container is by now. */
  ownerOf: (container: ContainerId) => Promise<SettingsOwner | undefined>;
  log: Logger;
  /** Connections through the proxy broke, but it is there again; or it could not be opened again. */
  onRestarted: (container: ContainerId, open: boolean) => void;
}

/** Egress by a proxy on this machine, with a socket for each container that this instance looks after. */
export class EgressHost implements ContainerEgress {
  readonly #parts: Parts;
  readonly #open = new Set<ContainerId>();
  /** What is asked for one container is done in order. */
  readonly #turns = new Map<ContainerId, Promise<unknown>>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  open(container: ContainerId, owner: SettingsOwner | undefined): Promise<void> {
    return this.#inTurn(container, () => this.#takeUp(container, async () => owner));
  }

  async claim(container: ContainerId, owner: SettingsOwner): Promise<void> {
    const hasOwnRules = (await this.#parts.rules.settings.of(owner)) !== undefined;
    if (!hasOwnRules && (this.#open.has(container) || (await this.answers(container)))) return;
    await this.open(container, owner);
  }

  /** For one that nobody on this machine listens for: with the rules of whoever has it by then. */
  reopen(container: ContainerId): Promise<void> {
    return this.#inTurn(container, () => this.#takeUp(container, () => this.#parts.ownerOf(container)));
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

  /** Containers on this machine have sockets, and no address. */
  async prove(container: ContainerId): Promise<void> {
    throw new BerthError('INTERNAL', `${container} has no egress proxy beside it`);
  }

  /** The rules as they are now for all that is open here: there are new credentials. */
  async refresh(): Promise<void> {
    await Promise.all([...this.#open].map((container) => this.#again(container, false)));
  }

  /** The child was started again and knows nothing: every container gets its way out back. */
  async restarted(): Promise<void> {
    const { totals, onRestarted } = this.#parts;
    totals.restart();
    await Promise.all(
      [...this.#open].map(async (container) => {
        const result = await this.#again(container, true);
        // One that is away again comes back again.
        if (result !== 'away') onRestarted(container, result === 'open');
      }),
    );
  }

  /** Reads the counters, and leaves to others what they took over. */
  async look(): Promise<void> {
    const { child, totals } = this.#parts;
    if (this.#open.size === 0) return;
    const { containers, superseded } = await child.ask({ kind: 'look' });
    // The casts: the child knows containers by the names we gave it.
    for (const [container, stats] of Object.entries(containers) as [ContainerId, EgressStats][]) {
      totals.take(container, stats);
    }
    for (const container of superseded as ContainerId[]) {
      // One that is being opened right now has its place back once that is done.
      if (!this.#turns.has(container)) this.#drop(container);
    }
    await this.#lookAtService();
  }

  /** Whether a proxy, of this instance or another, listens for the container. */
  async answers(container: ContainerId): Promise<boolean> {
    const socket = await this.#socket(container);
    return new Promise((resolve) => {
      const connection = connect(socket);
      connection.on('connect', () => {
        connection.destroy();
        resolve(true);
      });
      connection.on('error', () => resolve(false));
    });
  }

  async #takeUp(container: ContainerId, ownerNow: () => Promise<SettingsOwner | undefined>): Promise<void> {
    const isNew = !this.#open.has(container);
    this.#open.add(container);
    try {
      await this.#put(container, ownerNow, true);
    } catch (error) {
      if (isNew) {
        this.#drop(container);
        await this.#forget(container);
      }
      throw error;
    }
  }

  async #again(container: ContainerId, takeOver: boolean): Promise<'open' | 'failed' | 'away'> {
    const { ownerOf, log } = this.#parts;
    try {
      let open = true;
      await this.#inTurn(container, async () => {
        if (!this.#open.has(container)) return;
        // Another instance may have it by now.
        if (takeOver && (await this.answers(container))) open = false;
        else open = await this.#put(container, () => ownerOf(container), takeOver);
        if (!open) this.#drop(container);
      });
      return open ? 'open' : 'away';
    } catch (error) {
      log.error({ err: error, container_id: container }, 'a container has no way out');
      return error instanceof ProxyFailed ? 'failed' : 'away';
    }
  }

  /**
   * Puts the rules, and again while they turn out to have changed on the way: the container was claimed, or its
   * settings were. False: another proxy has its place, and was not to be taken over from.
   */
  async #put(
    container: ContainerId,
    ownerNow: () => Promise<SettingsOwner | undefined>,
    takeOver: boolean,
  ): Promise<boolean> {
    const { rules, child, service } = this.#parts;
    let state = await rules.stateFor(await ownerNow());
    for (let puts = 1; ; puts += 1) {
      await service?.put(container, state);
      const { inPlace } = await child.ask({
        kind: 'put',
        container,
        socket: await this.#socket(container),
        rules: service ? { kind: 'onward', proxy: service.onward(container) } : { kind: 'own', state },
        takeOver,
      });
      if (!inPlace) return false;
      const now: EgressState = await rules.stateFor(await ownerNow());
      if (puts === PUTS || isDeepStrictEqual(now, state)) return true;
      state = now;
    }
  }

  /** A service that was started anew, or has one more address, is told of the containers it does not know. */
  async #lookAtService(): Promise<void> {
    const { service, totals, rules, ownerOf, log } = this.#parts;
    for (const { address, containers } of (await service?.look()) ?? []) {
      for (const container of this.#open) {
        const known = containers.get(container);
        if (known !== undefined) totals.take(`${container} at ${address}`, known.stats);
        else
          await this.#inTurn(container, async () => {
            if (!this.#open.has(container)) return;
            await service?.put(container, await rules.stateFor(await ownerOf(container)), address);
          }).catch((error) =>
            log.warn({ err: error, container_id: container }, 'the egress service could not be told'),
          );
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

  #drop(container: ContainerId): void {
    this.#open.delete(container);
    this.#parts.totals.end(container, null);
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

  async #socket(container: ContainerId): Promise<string> {
    const endpoint = await this.#parts.backend.endpoint(container, 'proxy');
    if (endpoint.kind === 'socket') return endpoint.path;
    throw new BerthError('INTERNAL', `the proxy of ${container} is not on this machine`);
  }
}
