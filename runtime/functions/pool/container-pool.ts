import { randomUUID } from 'node:crypto';
import { BerthError, ERRORS, isBerthError } from '../../contracts/errors.ts';
import { nameOf } from '../../contracts/function-key.ts';
import type { ContainerId } from '../../contracts/ids.ts';
import type { HeldWorker } from '../../state/worker-store.ts';
import type { FunctionDefinition } from '../definitions/function-definition.ts';
import { missingFunction } from '../definitions/missing-function.ts';
import { type Lease, type LeasedWorker, LocalLeases, nextTurn } from './local-leases.ts';
import { WaitingLine } from './waiting-line.ts';
import type { WorkerEnding } from './worker-ending.ts';
import { type MakingParts, WorkerMaking } from './worker-making.ts';
import { WorkerReturn } from './worker-return.ts';

/** Others are told of a free worker by a hint; one that was lost costs so long. */
const POLL_MS = 1_000;
const AFTER_FAILURE_MS = 1_000;
/** A lease outlives its call by this, so that whoever has the call ends it first. */
const MARGIN_SECONDS = 30;

export interface PoolParts extends MakingParts {
  ending: WorkerEnding;
  /** Whether the function is left alone for the while, by `performance.now()`. */
  isBroken: (now: number) => boolean;
}

/** The workers of one function, as one instance uses them. What there is of them is in the store, for all instances. */
export class ContainerPool {
  readonly #parts: PoolParts;
  readonly #line = new WaitingLine<LeasedWorker>();
  readonly #leases = new LocalLeases();
  readonly #returns: WorkerReturn;
  readonly #making: WorkerMaking;
  /** As it was last seen; none: it was deleted. */
  #definition: FunctionDefinition | undefined;
  #closed = false;
  /** What kept those who wait from being served the last time. */
  #trouble: BerthError | undefined;
  #noRoom = false;
  #notBefore = 0;
  #serving = false;
  /** Who asks the store for a worker, or for a place, just now. */
  #asking = 0;
  #again = false;
  #poll: NodeJS.Timeout | undefined;

  constructor(parts: PoolParts) {
    this.#parts = parts;
    this.#returns = new WorkerReturn({ ...parts, onFree: () => this.wake() });
    this.#making = new WorkerMaking(parts, {
      evict: (made) => this.#returns.evict(made),
      endUnknown: (worker) => parts.ending.endUnknown(worker),
      onFailed: (worker, error) => this.#tellFailure(worker, error),
      onOver: () => this.wake(),
    });
  }

  /** Nobody asks or waits, and nothing is being made. */
  get isQuiet(): boolean {
    const isIdle = this.#line.length === 0 && this.#asking === 0 && !this.#serving;
    return isIdle && this.#making.isQuiet && this.#returns.isQuiet;
  }

  get waiting(): number {
    return this.#line.length;
  }

  /**
   * Throws `CAPACITY_EXCEEDED` (too many wait), `ACQUIRE_TIMEOUT`, `FUNCTION_UNAVAILABLE`, what making a worker failed
   * with, or the reason of the signal.
   */
  async acquire(definition: FunctionDefinition, signal: AbortSignal): Promise<LeasedWorker> {
    this.#follow(definition);
    const { queue, acquireTimeoutSeconds } = definition.scaling;
    if (this.#line.length === 0) {
      signal.throwIfAborted();
      // One may have been released while the store was asked.
      const leased =
        this.#leases.take(definition) ?? (await this.#take(definition)) ?? this.#leases.take(definition);
      if (leased !== undefined && !signal.aborted) return this.#leases.begin(leased);
      if (leased !== undefined) {
        this.#leases.end(leased); // where it was taken from a call that has just ended
        await this.#giveBack(leased);
      }
      signal.throwIfAborted();
    }
    if (this.#line.length >= Math.max(1, queue))
      throw new BerthError('CAPACITY_EXCEEDED', `${queue} calls wait for a worker already`, {
        retry_after: 1,
      });
    const waiting = this.#line.wait(acquireTimeoutSeconds, signal, () => this.#late(acquireTimeoutSeconds));
    this.wake();
    return waiting;
  }

  /** Whoever waits may have it. Again, or of one that was evicted: nothing happens. */
  async release(leased: LeasedWorker): Promise<void> {
    if (!this.#leases.end(leased)) return;
    const next = this.#nextTurn(leased);
    if (next !== undefined && this.#give(next)) return;
    if (next !== undefined && this.#leases.inUse > 0)
      return this.#leases.linger(next, () => this.#giveBack(next));
    this.#leases.letAllGo(); // no other call is under way that another could follow
    await this.#giveBack(leased);
  }

  /** It is not to be used any more, and ended. */
  async evict(leased: LeasedWorker): Promise<void> {
    if (this.#leases.end(leased)) await this.#returns.evict(leased);
  }

  /** Makes so many, unless there is no room for them. */
  async prewarm(definition: FunctionDefinition, count: number): Promise<void> {
    this.#follow(definition);
    for (let made = 0; made < count; made += 1) {
      if ((await this.#provision(definition)) !== 'reserved') return;
    }
  }

  /** The definition has changed, or is gone. */
  use(definition: FunctionDefinition | undefined): void {
    this.#follow(definition);
    if (definition === undefined) this.#line.refuseAll(missingFunction(this.#parts.of));
    else this.wake();
  }

  /** There may be a worker, or room for one. */
  wake(): void {
    if (this.#line.length === 0) return;
    this.#again = true;
    if (this.#serving) return;
    this.#serving = true;
    this.#serve()
      .then(
        () => {
          this.#trouble = undefined;
        },
        (error) => this.#bear(error),
      )
      .finally(() => {
        this.#serving = false;
        this.#pollWhileSomeoneWaits();
        if (this.#again && this.#line.length > 0 && this.#trouble === undefined) this.wake();
      });
  }

  /** Who waits is refused; what is being made is given up. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#poll);
    const reason = new BerthError('SHUTTING_DOWN', 'the service is shutting down', { retry_after: 1 });
    this.#line.refuseAll(reason);
    this.#leases.letAllGo();
    await this.#making.close(reason);
    await this.#returns.close();
  }

  /** What is being made of another revision is given up: nobody would call it, and it has a place. */
  #follow(definition: FunctionDefinition | undefined): void {
    this.#definition = definition;
    this.#making.giveUpOthers(definition?.revision);
  }

  async #serve(): Promise<void> {
    while (this.#again) {
      this.#again = false;
      while (this.#line.length > 0 && this.#definition !== undefined) {
        const leased = await this.#take(this.#definition);
        if (leased === undefined) break;
        if (!this.#give(leased)) await this.#giveBack(leased);
      }
      await this.#provisionForWhoWaits();
    }
  }

  /** For another call here, without the store; undefined: it is to go back there. */
  #nextTurn(leased: LeasedWorker): LeasedWorker | undefined {
    const { worker, lease } = leased;
    if (this.#closed || this.#definition === undefined) return undefined;
    if (!this.#parts.held.isHeld(worker, lease, performance.now())) return undefined;
    return nextTurn(leased, this.#definition);
  }

  /** To the first who waits. False: nobody does. */
  #give(leased: LeasedWorker): boolean {
    if (this.#line.length === 0) return false;
    return this.#line.give(this.#leases.begin(leased));
  }

  /** To the store, for all instances. */
  #giveBack(leased: Lease): Promise<void> {
    return this.#returns.release(leased, () => this.#definition?.revision ?? '');
  }

  #pollWhileSomeoneWaits(): void {
    clearTimeout(this.#poll);
    if (this.#line.length > 0 && !this.#closed) this.#poll = setTimeout(() => this.wake(), POLL_MS).unref();
  }

  /** One that is ready now. */
  #take(definition: FunctionDefinition): Promise<LeasedWorker | undefined> {
    return this.#ask(() => this.#takeNow(definition));
  }

  async #ask<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    this.#asking += 1;
    try {
      return await ask();
    } finally {
      this.#asking -= 1;
    }
  }

  async #takeNow(definition: FunctionDefinition): Promise<LeasedWorker | undefined> {
    const { of, store, held, creation, instance, log } = this.#parts;
    const { revision, timeoutSeconds } = definition;
    const terms = { revision, timeoutSeconds };
    for (;;) {
      const since = performance.now();
      const lease = randomUUID();
      const seconds = timeoutSeconds + MARGIN_SECONDS;
      const acquired = await held.asking(lease, async () => {
        const answer = await store.acquire({ of, revision, holder: { instance, lease, seconds } });
        if (answer.kind === 'leased') this.#hold(answer.worker, revision, lease, 'busy', seconds);
        return answer;
      });
      for (const worker of acquired.retired) {
        this.#hold(worker, '', lease, 'terminating', MARGIN_SECONDS);
        this.#returns.end(worker);
      }
      if (acquired.kind === 'none') return undefined;
      const { worker, paused, calls } = acquired;
      const leased = { worker, lease, coldStart: calls === 0, turn: 1, since, terms };
      if (!paused) return leased;
      try {
        await creation.resume(worker);
        return leased;
      } catch (error) {
        log.warn({ err: error, container_id: worker }, 'a paused worker could not be resumed');
        await this.#returns.evict(leased);
      }
    }
  }

  async #provisionForWhoWaits(): Promise<void> {
    const { isBroken } = this.#parts;
    while (
      this.#definition !== undefined &&
      this.#line.length > this.#making.count(this.#definition.revision)
    ) {
      const now = performance.now();
      if (isBroken(now)) return this.#line.refuseAll(unavailable());
      if (now < this.#notBefore) return;
      if ((await this.#provision(this.#definition)) !== 'reserved') return;
    }
  }

  async #provision(definition: FunctionDefinition): Promise<'reserved' | 'full' | 'no-room'> {
    const place = await this.#ask(() => this.#making.begin(definition));
    this.#noRoom = place === 'no-room';
    return place;
  }

  /** Who waits first is told, unless there are others to wait for. */
  #tellFailure(worker: ContainerId, error: unknown): void {
    const { of, held } = this.#parts;
    this.#notBefore = performance.now() + AFTER_FAILURE_MS;
    const others = held
      .all()
      .some(
        (other) =>
          nameOf(other.of) === nameOf(of) && other.worker !== worker && other.state !== 'terminating',
      );
    const canHelp = isBerthError(error) && ERRORS[error.code].retryable;
    if (others && canHelp) return;
    this.#notBefore = 0;
    this.#line.refuseFirst(error);
  }

  #hold(worker: ContainerId, revision: string, lease: string, state: HeldWorker['state'], seconds: number) {
    const until = performance.now() + seconds * 1000;
    this.#parts.held.hold({ worker, of: this.#parts.of, revision, lease, state, until });
  }

  /** Who waits has time, and a store that was away for a moment is asked again. */
  #bear(error: unknown): void {
    if (isBerthError(error, 'STORE_UNAVAILABLE')) this.#trouble = error;
    else this.#line.refuseAll(error);
  }

  #late(seconds: number): BerthError {
    if (this.#trouble !== undefined) return this.#trouble;
    if (this.#noRoom)
      return new BerthError('CAPACITY_EXCEEDED', 'there is no room for a worker', { retry_after: 5 });
    const detail = `no worker was free within ${seconds} s`;
    return new BerthError('ACQUIRE_TIMEOUT', detail, { retry_after: 1 });
  }
}

export function unavailable(seconds = 30): BerthError {
  const detail = 'its last calls failed; it is tried again in a while';
  return new BerthError('FUNCTION_UNAVAILABLE', detail, { retry_after: seconds });
}
