import type { Instant } from '../contracts/conversation-record.ts';
import type { FunctionKey } from '../contracts/function-key.ts';
import type { ContainerId } from '../contracts/ids.ts';

/** An instance that has not been heard of for so long is dead: what it held is another's to end. */
export const INSTANCE_SILENT_SECONDS = 15;

/** Whoever was given none counts as waiting for so long: it is told of nothing later unless it has asked again. */
export const WAITING_SECONDS = 5;

/**
 * The workers of functions, over all instances. Each is in exactly one state, and counts in every one of them:
 *
 *     reserve ─► provisioning ─ready─► idle ─acquire, take─► busy ─release─► idle
 *                     │                 │  paused ─acquire─►  │  ─park─► paused
 *                     └──evict──┐     retire                evict
 *                               ▼       ▼                     ▼
 *                              terminating ─gone─► (no more)
 *
 * Whoever provisions, uses or ends one holds it under a lease of its own making: a name that no other call has. What
 * is done under a lease that does not hold the worker any more, or whose time is past, changes nothing and is `stale`:
 * the worker is not the caller's to end. A call that failed with `STORE_UNAVAILABLE` may have been carried out; making it
 * again is always right. It changes nothing more, and answers the same where the caller has the worker after it; where it
 * gave it up (`ready`, `release`, `park`, `adopt`), it is `stale` then.
 *
 * A holder is dead when its instance was not heard of for `INSTANCE_SILENT_SECONDS`, neither by a beat nor by the call
 * that brought the worker into its state.
 */
export interface WorkerStore {
  /**
   * The one that was released last; a paused one where none is idle. Those of another revision that stand before it
   * are ended instead (`terminating`, held by this holder, too), and told as `retired`, once: those of an answer that was
   * lost come with `takeOver`. None: somebody waits, and is told of what is free in the next `WAITING_SECONDS`. The same
   * lease again: the same worker while it has it, else another try.
   */
  acquire(request: AcquireRequest): Promise<Acquired>;

  /**
   * A new worker, `provisioning`, held by the lease, unless the function has `max` already (`full`) or all functions
   * together `total` (`no-room`; then somebody waits for a place of any). The same worker under the same lease again:
   * `reserved`.
   */
  reserve(request: ReserveRequest): Promise<'reserved' | 'full' | 'no-room'>;

  /** It is there and well: `provisioning` → `idle`. Told to those who wait. */
  ready(worker: ContainerId, lease: string): Promise<'done' | 'stale'>;

  /** `busy` → `idle`, told to those who wait; → `terminating`, for the caller to end, where `revision` is another by now. */
  release(worker: ContainerId, lease: string, revision: string): Promise<'idle' | 'terminating' | 'stale'>;

  /** That very one, if it is idle since then: `idle` → `busy`, so that it can be paused. */
  take(worker: ContainerId, since: Instant, holder: Holder): Promise<'done' | 'stale'>;

  /** `busy` → `paused`. Told to those who wait. */
  park(worker: ContainerId, lease: string): Promise<'done' | 'stale'>;

  /** It is not to be used any more: `provisioning` or `busy` → `terminating`, under the same lease, for the caller to end. */
  evict(worker: ContainerId, lease: string): Promise<'done' | 'stale'>;

  /**
   * `idle` or `paused`, since then → `terminating`, held by the holder, for it to end. `kept`: the function has no
   * more than `keep` that are not terminating.
   */
  retire(
    worker: ContainerId,
    since: Instant,
    keep: number,
    holder: Holder,
  ): Promise<'done' | 'kept' | 'stale'>;

  /** The backend has nothing of it any more: its place is free. Only of a `terminating` one. Told to those who wait. */
  gone(worker: ContainerId): Promise<void>;

  /**
   * This instance lives, and holds these. One that the store has lost is there again; one that its lease does not hold
   * any more, also because it has just been given up, is told as `lost`. With none held, the instance is forgotten.
   * One that has slept through its own beats names nothing from before: another may have ended that, and it would be back.
   */
  beat(instance: string, held: readonly HeldWorker[]): Promise<{ lost: ContainerId[] }>;

  /**
   * Those whose holder is dead, or whose lease is past, become this instance's to end: `terminating`, under this lease.
   * Also those that were to be ended and were not. The instance's own count as dead where it does not name their leases,
   * so it names one from before it asks for a worker under it. After an outage of the store all have been silent: call it,
   * and `adopt`, when the store has answered for `INSTANCE_SILENT_SECONDS` again.
   */
  takeOver(holder: Holder, ownLeases: readonly string[]): Promise<ContainerId[]>;

  /**
   * Takes one in as `idle` that nobody knows, told to those who wait, unless the function has `max`: then, or where it
   * is known, `stale`.
   */
  adopt(worker: WorkerOf, max: number): Promise<'done' | 'stale'>;

  /** Those of these that it knows. */
  known(workers: readonly ContainerId[]): Promise<Set<ContainerId>>;

  /** All there are. */
  look(): Promise<{ workers: WorkerView[]; now: Instant }>;

  /**
   * Calls `listener` when a worker or a place of this function, undefined: perhaps of any, may be had that someone waits
   * for, until the returned function is called. Lost ones cost time only: who waits asks again now and then.
   */
  onFree(listener: (of: FunctionKey | undefined) => void): () => void;
}

/** Who has a worker, and until when at most: seconds from now. */
export interface Holder {
  instance: string;
  lease: string;
  seconds: number;
}

export interface AcquireRequest {
  of: FunctionKey;
  revision: string;
  holder: Holder;
}

export type Acquired =
  /** `calls`: how many have had it before. */
  | { kind: 'leased'; worker: ContainerId; paused: boolean; calls: number; retired: ContainerId[] }
  | { kind: 'none'; retired: ContainerId[] };

export interface WorkerOf {
  worker: ContainerId;
  of: FunctionKey;
  /** Of the function's definition, that it was made from. */
  revision: string;
}

export interface ReserveRequest extends WorkerOf {
  holder: Holder;
  max: number;
  total: number;
}

export type WorkerState = 'provisioning' | 'idle' | 'paused' | 'busy' | 'terminating';

export interface HeldWorker extends WorkerOf {
  state: Extract<WorkerState, 'provisioning' | 'busy' | 'terminating'>;
  lease: string;
  /** From now, at most. */
  seconds: number;
}

export interface WorkerView extends WorkerOf {
  state: WorkerState;
  /** When it came into this state. */
  since: Instant;
  createdAt: Instant;
  /** Who holds it; null for one that nobody does. */
  instance: string | null;
}
