import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Instant } from '../contracts/conversation-record.ts';
import { isBerthError } from '../contracts/errors.ts';
import { type ContainerId, conversationContainerId } from '../contracts/ids.ts';
import {
  type BegunElsewhere,
  MemberCreation,
  type MemberOutcome,
  type Pace,
} from '../pool/member-creation.ts';
import { OneAtATime } from '../pool/one-at-a-time.ts';
import {
  isNearlyFull,
  type PoolAction,
  placesForPool,
  planPool,
  type RemovalReason,
} from '../pool/plan-pool.ts';
import { afterCreation, afterLook, NO_DEMAND_SEEN, poolTarget } from '../pool/pool-target.ts';
import { UnderWay } from '../pool/under-way.ts';
import type { PoolSizes, PoolView, WarmPoolStore } from '../state/warm-pool-store.ts';
import { PREPARATION_LEASE_SECONDS, STOP_SECONDS } from './conversation-settings.ts';
import { LeaseRenewal } from './lease-renewal.ts';

export interface WarmPoolSettings {
  /** What members are made from: those with another are replaced. */
  image: string;
  /** The backend. */
  manager: string;
  /** Hold until an operator sets others. 0 and 0: no pool. */
  sizes: PoolSizes;
  /** An unused member is replaced after this long. */
  ttlSeconds: number;
  maxContainers: number;
  /** Most creations of this instance at once. */
  parallel: number;
}

export interface WarmMembers {
  create(container: ContainerId, signal: AbortSignal): Promise<void>;
  /** Its agent is this very container's, and nobody's yet; its way out is as nobody's is. */
  prove(container: ContainerId, signal: AbortSignal): Promise<void>;
  /** Ends a container that no record names, and releases its place. */
  destroy(container: ContainerId): Promise<void>;
  /** Whether the image is there. */
  isReady(): boolean;
}

export interface WarmPoolMetrics {
  added(seconds: number): void;
  failed(): void;
  removed(reason: RemovalReason): void;
}

interface Parts {
  store: WarmPoolStore;
  members: WarmMembers;
  settings: WarmPoolSettings;
  instance: string;
  log: Logger;
  metrics: WarmPoolMetrics;
  /** There is a member more. */
  onAdded?: () => void;
  /** Of the attempts of a creation. */
  pace?: Pace;
}

/** As the API tells it. */
export interface WarmPoolView {
  size: number;
  target: number;
  starting: number;
  min_size: number;
  max_size: number;
}

const ENDINGS_AT_ONCE = 8;
/** How often it is said again that there is little room. */
const SAY_AGAIN_MS = 60_000;

/** `held-off`: a creation failed, and none begins before the next cycle. `probing`: in that one, one at a time. */
type Health = 'well' | 'held-off' | 'probing';

/**
 * Keeps containers ready for conversations to come. A turn is one look at the store, a plan, and its actions;
 * creations and endings go on beside the turns and lead to another one when they are over. Any number of
 * instances do this at once over one store: places are reserved there, which keeps the bounds.
 */
export class WarmPool {
  readonly #parts: Parts;
  readonly #creation: MemberCreation;
  readonly #turns = new OneAtATime(() => this.#turn());
  readonly #creations: UnderWay;
  readonly #endings = new UnderWay(ENDINGS_AT_ONCE);
  readonly #closing = new AbortController();
  #demand = NO_DEMAND_SEEN;
  #health: Health = 'well';
  #cycleDue = false;
  /** When this instance first looked, by the store's clock. */
  #since: Instant | undefined;
  /** When it was last said that there is little room, by `performance.now()`. */
  #saidFull = Number.NEGATIVE_INFINITY;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#creations = new UnderWay(parts.settings.parallel);
    this.#creation = new MemberCreation(this.#memberPort(), parts.pace);
  }

  /** A cycle: one look and what follows from it. Creations go on after it. */
  async runOnce(): Promise<void> {
    this.#cycleDue = true;
    await this.#turns.run();
  }

  /** Looks soon, beside the caller's work: a member was taken, or the image has come. */
  wake(): void {
    if (this.#closing.signal.aborted) return;
    this.#turns.run().catch((error) => this.#parts.log.error({ err: error }, 'the warm pool failed'));
  }

  /** Goes on with a container that was begun for a conversation, in a place that is this instance's pool's by now. */
  takeOver(begun: BegunElsewhere): void {
    const ended = this.#creation.takeOver(begun, this.#closing.signal);
    this.#creations.add(ended, (outcome) => this.#created(outcome));
  }

  async view(): Promise<WarmPoolView> {
    const seen = await this.#parts.store.look();
    const sizes = this.#sizes(seen);
    return {
      size: seen.members.length,
      target: poolTarget(this.#demand, sizes),
      starting: seen.starting,
      min_size: sizes.min,
      max_size: sizes.max,
    };
  }

  /** Holds for every instance, from its next look. */
  async configure(sizes: PoolSizes): Promise<WarmPoolView> {
    await this.#parts.store.configure(sizes);
    this.wake();
    return this.view();
  }

  /** Starts nothing more; creations under way are given up and cleared away. The members stay. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('the warm pool is closing'));
    await this.#turns.run().catch(() => undefined); // after the turn under way
    await Promise.all([this.#creations.settled(), this.#endings.settled()]);
  }

  async #turn(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    const trim = this.#cycleDue;
    this.#cycleDue = false;
    if (trim && this.#health === 'held-off') this.#health = 'probing';
    try {
      const seen = await this.#parts.store.look();
      if (trim) this.#sayRoom(seen.used);
      for (const action of this.#plan(seen, trim)) await this.#act(action);
    } catch (error) {
      if (!isBerthError(error, 'STORE_UNAVAILABLE')) throw error;
      this.#parts.log.debug({ err: error }, 'the warm pool waits for the store');
    }
  }

  #sayRoom(used: number): void {
    const { settings, log } = this.#parts;
    const limit = settings.maxContainers;
    const now = performance.now();
    if (!isNearlyFull(used, limit) || now < this.#saidFull + SAY_AGAIN_MS) return;
    this.#saidFull = now;
    log.warn({ used, limit }, 'nine tenths of MAX_CONTAINERS are taken');
  }

  #plan(seen: PoolView, trim: boolean): PoolAction[] {
    const { image, ttlSeconds, maxContainers } = this.#parts.settings;
    const sizes = this.#sizes(seen);
    this.#since ??= seen.now;
    this.#demand = afterLook(this.#demand, seen.demand, seen.now);
    return planPool(seen, {
      target: poolTarget(this.#demand, sizes),
      max: sizes.max,
      maxContainers,
      image,
      imageSince: this.#since,
      ttlSeconds,
      canCreate: this.#parts.members.isReady() && this.#health !== 'held-off',
      trim,
    });
  }

  #sizes(seen: PoolView): PoolSizes {
    return seen.sizes ?? this.#parts.settings.sizes;
  }

  async #act(action: PoolAction): Promise<void> {
    if (action.kind === 'remove') return this.#remove(action.container, action.reason);
    for (let left = action.count; left > 0 && this.#mayCreate(); left -= 1) {
      const begun = await this.#creation.begin(action.upTo, this.#closing.signal);
      if (begun.kind !== 'begun') return;
      this.#creations.add(begun.ended, (outcome) => this.#created(outcome));
    }
  }

  /** What does not fit now is planned again by the turn that follows on the end of those under way. */
  #mayCreate(): boolean {
    if (this.#closing.signal.aborted || this.#health === 'held-off') return false;
    return this.#health === 'probing' ? this.#creations.size === 0 : this.#creations.free > 0;
  }

  #created(outcome: MemberOutcome): void {
    const { log, metrics } = this.#parts;
    const container_id = outcome.container;
    switch (outcome.kind) {
      case 'added':
        this.#demand = afterCreation(this.#demand, outcome.seconds);
        if (this.#health === 'probing') this.#health = 'well';
        metrics.added(outcome.seconds);
        log.info({ container_id, seconds: outcome.seconds }, 'warm pool: added');
        this.#parts.onAdded?.();
        this.wake();
        return;
      case 'failed':
        this.#health = 'held-off';
        metrics.failed();
        log.warn(
          { err: outcome.error, container_id, ...leftOver(outcome) },
          'a member of the warm pool could not be made; it is tried again in the next cycle',
        );
        return;
      case 'unsure':
        log.warn(
          { err: outcome.error, container_id },
          'whether the store took a warm container is not known',
        );
        return;
      case 'given-up':
        if (outcome.notCleared !== undefined)
          log.warn({ container_id, ...leftOver(outcome) }, 'a warm container could not be ended yet');
    }
  }

  async #remove(container: ContainerId, reason: RemovalReason): Promise<void> {
    const { store, members, log, metrics } = this.#parts;
    if (this.#closing.signal.aborted || this.#endings.free === 0) return;
    // Refused where it was claimed meanwhile, or another instance was first.
    if ((await store.remove({ container, stopSeconds: STOP_SECONDS })) === 'stale') return;
    metrics.removed(reason);
    log.info({ container_id: container, reason }, 'warm pool: removed');
    const notEnded = (error: unknown) =>
      log.warn({ err: error, container_id: container }, 'a warm container could not be ended yet');
    this.#endings.add(members.destroy(container).catch(notEnded), () => this.wake());
  }

  #memberPort() {
    const { store, members, settings, instance } = this.#parts;
    const lease = { owner: instance, leaseSeconds: PREPARATION_LEASE_SECONDS };
    return {
      newId: () => conversationContainerId(randomUUID()),
      reserve: (container: ContainerId, upTo: number) =>
        store.reserve({
          container,
          ...lease,
          most: upTo,
          maxContainers: placesForPool(settings.maxContainers),
        }),
      renew: (container: ContainerId, onLost: () => void) =>
        new LeaseRenewal(lease.leaseSeconds, () => store.renew({ container, ...lease }), onLost),
      create: (container: ContainerId, signal: AbortSignal) => members.create(container, signal),
      prove: (container: ContainerId, signal: AbortSignal) => members.prove(container, signal),
      add: (container: ContainerId) =>
        store.add({ container, owner: instance, image: settings.image, manager: settings.manager }),
      destroy: (container: ContainerId) => members.destroy(container),
    };
  }
}

function leftOver({ notCleared }: { notCleared?: unknown }): { not_cleared?: string } {
  return notCleared === undefined ? {} : { not_cleared: String(notCleared) };
}
