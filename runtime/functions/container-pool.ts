import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { BerthError, ERRORS, isBerthError } from '../contracts/errors.ts';
import { type ContainerId, newWorkerId } from '../contracts/ids.ts';
import type { FunctionKey, WorkerStore } from '../state/worker-store.ts';
import type { FunctionDefinition } from './function-definition.ts';
import type { HeldWorkers } from './held-workers.ts';
import { WaitingLine } from './waiting-line.ts';
import type { WorkerCreation } from './worker-creation.ts';
import type { WorkerEnding } from './worker-ending.ts';

/** Others are told of a free worker by a hint; one that was lost costs so long. */
const POLL_MS = 1_000;
const AFTER_FAILURE_MS = 1_000;
/** A lease outlives its call by this, so that whoever has the call ends it first. */
const MARGIN_SECONDS = 30;
/** With the time that an image takes to be had. */
const PROVISIONING_SECONDS = 330;

/** A worker that nobody else has until it is released or evicted, once. */
export interface LeasedWorker {
  worker: ContainerId;
  lease: string;
  /** Nobody has called it before. */
  coldStart: boolean;
}

export interface PoolParts {
  of: FunctionKey;
  store: WorkerStore;
  creation: WorkerCreation;
  ending: WorkerEnding;
  held: HeldWorkers;
  /** Whether the function is left alone for the while, by `performance.now()`. */
  isBroken: (now: number) => boolean;
  instance: string;
  /** Over all functions and instances. */
  totalWorkers: number;
  log: Logger;
  onProvisioned: (seconds: number, outcome: 'ready' | 'failed') => void;
}

/** The workers of one function, as one instance uses them. What there is of them is in the store, for all instances. */
export class ContainerPool {
  readonly #parts: PoolParts;
  readonly #line = new WaitingLine<LeasedWorker>();
  readonly #closing = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  /** As it was last seen; none: it was deleted. */
  #definition: FunctionDefinition | undefined;
  #provisioning = 0;
  #noRoom = false;
  #notBefore = 0;
  #serving = false;
  #again = false;
  #poll: NodeJS.Timeout | undefined;

  constructor(parts: PoolParts) {
    this.#parts = parts;
  }

  /** Nobody waits, and nothing is being made. */
  get isQuiet(): boolean {
    return this.#line.length === 0 && this.#underWay.size === 0 && !this.#serving;
  }

  get waiting(): number {
    return this.#line.length;
  }

  /**
   * Throws `CAPACITY_EXCEEDED` (too many wait), `ACQUIRE_TIMEOUT`, `FUNCTION_UNAVAILABLE`, what making a worker failed
   * with, or the reason of the signal.
   */
  async acquire(definition: FunctionDefinition, signal: AbortSignal): Promise<LeasedWorker> {
    this.#definition = definition;
    const { queue, acquireTimeoutSeconds } = definition.scaling;
    if (this.#line.length === 0) {
      const leased = await this.#take(definition);
      if (leased !== undefined && !signal.aborted) return leased;
      if (leased !== undefined) await this.release(leased);
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
  async release({ worker, lease }: LeasedWorker): Promise<void> {
    const { store, held, ending } = this.#parts;
    const revision = this.#definition?.revision ?? '';
    const outcome = await store.release(worker, lease, revision).catch((error) => this.#leave(worker, error));
    if (outcome === 'terminating') this.#inBackground(ending.end(worker).then(() => this.wake()));
    else held.drop(worker, lease);
    this.wake();
  }

  /** It is not to be used any more, and ended. */
  async evict({ worker, lease }: Pick<LeasedWorker, 'worker' | 'lease'>): Promise<void> {
    const { store, held, ending } = this.#parts;
    const outcome = await store.evict(worker, lease).catch((error) => this.#leave(worker, error));
    if (outcome === 'done') this.#inBackground(ending.end(worker).then(() => this.wake()));
    else held.drop(worker, lease);
  }

  /** Makes so many, unless there is no room for them. */
  async prewarm(definition: FunctionDefinition, count: number): Promise<void> {
    this.#definition = definition;
    for (let made = 0; made < count; made += 1) {
      if ((await this.#provision(definition)) !== 'reserved') return;
    }
  }

  /** The definition has changed, or is gone. */
  use(definition: FunctionDefinition | undefined): void {
    this.#definition = definition;
    if (definition === undefined) this.#line.refuseAll(deleted(this.#parts.of));
  }

  /** There may be a worker, or room for one. */
  wake(): void {
    if (this.#line.length === 0) return;
    this.#again = true;
    if (this.#serving) return;
    this.#serving = true;
    this.#serve()
      .catch((error) => this.#line.refuseAll(error)) // the store is away
      .finally(() => {
        this.#serving = false;
        this.#pollWhileSomeoneWaits();
        if (this.#again && this.#line.length > 0) this.wake();
      });
  }

  /** Who waits is refused; what is being made is given up. */
  async close(): Promise<void> {
    clearTimeout(this.#poll);
    this.#closing.abort(new BerthError('SHUTTING_DOWN', 'the service is shutting down', { retry_after: 1 }));
    this.#line.refuseAll(this.#closing.signal.reason);
    await Promise.all(this.#underWay);
  }

  async #serve(): Promise<void> {
    while (this.#again) {
      this.#again = false;
      while (this.#line.length > 0 && this.#definition !== undefined) {
        const leased = await this.#take(this.#definition);
        if (leased === undefined) break;
        if (!this.#line.give(leased)) await this.release(leased);
      }
      await this.#provisionForWhoWaits();
    }
  }

  #pollWhileSomeoneWaits(): void {
    clearTimeout(this.#poll);
    if (this.#line.length > 0 && !this.#closing.signal.aborted)
      this.#poll = setTimeout(() => this.wake(), POLL_MS).unref();
  }

  /** One that is ready now. */
  async #take(definition: FunctionDefinition): Promise<LeasedWorker | undefined> {
    const { of, store, held, creation, ending, instance, log } = this.#parts;
    const { revision, timeoutSeconds } = definition;
    for (;;) {
      const lease = randomUUID();
      const seconds = timeoutSeconds + MARGIN_SECONDS;
      const acquired = await held.asking(lease, async () => {
        const answer = await store.acquire({ of, revision, holder: { instance, lease, seconds } });
        if (answer.kind === 'leased') this.#hold(answer.worker, revision, lease, 'busy', seconds);
        return answer;
      });
      for (const worker of acquired.retired) {
        this.#hold(worker, '', lease, 'terminating', MARGIN_SECONDS);
        this.#inBackground(ending.end(worker).then(() => this.wake()));
      }
      if (acquired.kind === 'none') return undefined;
      const { worker, paused, calls } = acquired;
      if (!paused) return { worker, lease, coldStart: calls === 0 };
      try {
        await creation.resume(worker);
        return { worker, lease, coldStart: calls === 0 };
      } catch (error) {
        log.warn({ err: error, container_id: worker }, 'a paused worker could not be resumed');
        await this.evict({ worker, lease });
      }
    }
  }

  async #provisionForWhoWaits(): Promise<void> {
    const { isBroken } = this.#parts;
    while (this.#definition !== undefined && this.#line.length > this.#provisioning) {
      const now = performance.now();
      if (isBroken(now)) return this.#line.refuseAll(unavailable());
      if (now < this.#notBefore) return;
      if ((await this.#provision(this.#definition)) !== 'reserved') return;
    }
  }

  /** Resolves once its place is reserved; it is made beside. */
  async #provision(definition: FunctionDefinition): Promise<'reserved' | 'full' | 'no-room'> {
    const { of, store, held, instance, totalWorkers } = this.#parts;
    const { revision, scaling } = definition;
    if (this.#closing.signal.aborted) return 'full';
    const worker = newWorkerId(of.name, randomUUID());
    const lease = randomUUID();
    const holder = { instance, lease, seconds: PROVISIONING_SECONDS };
    this.#provisioning += 1;
    try {
      const place = await held.asking(lease, async () => {
        const request = { worker, of, revision, holder, max: scaling.maxCapacity, total: totalWorkers };
        const answer = await store.reserve(request);
        if (answer === 'reserved') this.#hold(worker, revision, lease, 'provisioning', PROVISIONING_SECONDS);
        return answer;
      });
      this.#noRoom = place === 'no-room';
      if (place !== 'reserved') {
        this.#provisioning -= 1;
        return place;
      }
    } catch (error) {
      this.#provisioning -= 1;
      throw error;
    }
    this.#inBackground(this.#make(definition, { worker, lease }));
    return 'reserved';
  }

  async #make(definition: FunctionDefinition, made: { worker: ContainerId; lease: string }): Promise<void> {
    const { store, creation, held, log, onProvisioned } = this.#parts;
    const { worker, lease } = made;
    const began = performance.now();
    try {
      await creation.create(worker, definition, this.#closing.signal);
      this.#closing.signal.throwIfAborted();
      await store.ready(worker, lease); // stale: another has taken it over, to end it
      held.drop(worker, lease);
      onProvisioned((performance.now() - began) / 1000, 'ready');
    } catch (error) {
      if (!this.#closing.signal.aborted) {
        log.warn({ err: error, container_id: worker }, 'a worker could not be made');
        onProvisioned((performance.now() - began) / 1000, 'failed');
        this.#tellFailure(worker, error);
      }
      await this.evict(made);
    } finally {
      this.#provisioning -= 1;
      this.wake();
    }
  }

  /** Who waits first is told, unless there are others to wait for. */
  #tellFailure(worker: ContainerId, error: unknown): void {
    const { of, held } = this.#parts;
    this.#notBefore = performance.now() + AFTER_FAILURE_MS;
    const others = held
      .all()
      .some(
        (other) => sameFunction(other.of, of) && other.worker !== worker && other.state !== 'terminating',
      );
    const canHelp = isBerthError(error) && ERRORS[error.code].retryable;
    if (others && canHelp) return;
    this.#notBefore = 0;
    this.#line.refuseFirst(error);
  }

  #hold(
    worker: ContainerId,
    revision: string,
    lease: string,
    state: 'busy' | 'provisioning' | 'terminating',
    seconds: number,
  ): void {
    const until = performance.now() + seconds * 1000;
    this.#parts.held.hold({ worker, of: this.#parts.of, revision, lease, state, until });
  }

  /** The store does not hear of it: it ends with its lease, at the latest. */
  #leave(worker: ContainerId, error: unknown): 'stale' {
    this.#parts.log.warn(
      { err: error, container_id: worker },
      'a worker could not be given back; it is ended',
    );
    return 'stale';
  }

  #late(seconds: number): BerthError {
    if (this.#noRoom)
      return new BerthError('CAPACITY_EXCEEDED', 'there is no room for a worker', { retry_after: 5 });
    const detail = `no worker was free within ${seconds} s`;
    return new BerthError('ACQUIRE_TIMEOUT', detail, { retry_after: 1 });
  }

  #inBackground(work: Promise<void>): void {
    this.#underWay.add(work);
    void work.finally(() => this.#underWay.delete(work));
  }
}

export function unavailable(seconds = 30): BerthError {
  const detail = 'its last calls failed; it is tried again in a while';
  return new BerthError('FUNCTION_UNAVAILABLE', detail, { retry_after: seconds });
}

export function deleted({ name }: FunctionKey): BerthError {
  return new BerthError('FUNCTION_NOT_FOUND', `there is no function ${name}`);
}

export function sameFunction(one: FunctionKey, other: FunctionKey): boolean {
  return one.name === other.name && one.tenant === other.tenant;
}
