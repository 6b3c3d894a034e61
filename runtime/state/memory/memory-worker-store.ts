import type { Instant } from '../../contracts/conversation-record.ts';
import { BerthError } from '../../contracts/errors.ts';
import type { FunctionKey } from '../../contracts/function-key.ts';
import type { ContainerId } from '../../contracts/ids.ts';
import {
  type Acquired,
  type AcquireRequest,
  type HeldWorker,
  type Holder,
  INSTANCE_SILENT_SECONDS,
  type ReserveRequest,
  WAITING_SECONDS,
  type WorkerOf,
  type WorkerStore,
  type WorkerView,
} from '../worker-store.ts';
import { ms } from './memory-records.ts';
import type { Hold, MemoryWorkers } from './memory-workers.ts';

type Listener = (of: FunctionKey | undefined) => void;

/** The workers of functions, in this process. */
export class MemoryWorkerStore implements WorkerStore {
  readonly #workers: MemoryWorkers;
  readonly #clock: { now(): Instant };
  readonly #listeners = new Set<Listener>();

  constructor(workers: MemoryWorkers, clock: { now(): Instant }) {
    this.#workers = workers;
    this.#clock = clock;
  }

  async acquire({ of, revision, holder }: AcquireRequest): Promise<Acquired> {
    const [workers, now] = [this.#workers, this.#clock.now()];
    const known = workers.leases.get(holder.lease);
    const held = known && workers.held(known, holder.lease, now);
    if (held) {
      return {
        kind: 'leased',
        worker: held.worker,
        paused: held.wasPaused,
        calls: held.calls - 1,
        retired: [],
      };
    }
    const retired: ContainerId[] = [];
    for (const worker of [...workers.lastFirst(of, 'idle'), ...workers.lastFirst(of, 'paused')]) {
      if (worker.revision === revision) {
        const [paused, calls] = [worker.state === 'paused', worker.calls];
        const hold = this.#holdOf(holder);
        Object.assign(worker, { state: 'busy', since: now, calls: calls + 1, wasPaused: paused, hold });
        workers.leases.set(holder.lease, worker.worker);
        return { kind: 'leased', worker: worker.worker, paused, calls, retired };
      }
      workers.terminate(worker, this.#holdOf(holder), now);
      retired.push(worker.worker);
    }
    this.#noteWaiting(nameOf(of));
    return { kind: 'none', retired };
  }

  async reserve(request: ReserveRequest): Promise<'reserved' | 'full' | 'no-room'> {
    const [workers, now] = [this.#workers, this.#clock.now()];
    if (workers.all.has(request.worker)) {
      const held = workers.held(request.worker, request.holder.lease, now);
      if (held?.state === 'provisioning') return 'reserved';
      throw new BerthError('INTERNAL', `The worker id ${request.worker} is taken already.`);
    }
    if (workers.of(request.of).length >= request.max) return 'full';
    if (workers.all.size >= request.total) {
      this.#noteWaiting('');
      return 'no-room';
    }
    workers.enter(request, 'provisioning', this.#holdOf(request.holder), now);
    return 'reserved';
  }

  async ready(id: ContainerId, lease: string): Promise<'done' | 'stale'> {
    const worker = this.#workers.held(id, lease, this.#clock.now());
    if (worker?.state !== 'provisioning') return 'stale';
    this.#workers.letGo(worker, 'idle', this.#clock.now());
    this.#tell(worker.of);
    return 'done';
  }

  async release(id: ContainerId, lease: string, revision: string): Promise<'idle' | 'terminating' | 'stale'> {
    const worker = this.#workers.held(id, lease, this.#clock.now());
    if (!worker || worker.state === 'provisioning') return 'stale';
    if (worker.state === 'terminating' || worker.revision !== revision) {
      this.#workers.terminate(worker, worker.hold, this.#clock.now());
      return 'terminating';
    }
    this.#workers.letGo(worker, 'idle', this.#clock.now());
    this.#tell(worker.of);
    return 'idle';
  }

  async take(id: ContainerId, since: Instant, holder: Holder): Promise<'done' | 'stale'> {
    const [worker, now] = [this.#workers.all.get(id), this.#clock.now()];
    if (worker?.state !== 'idle' || worker.since !== since) {
      return this.#workers.held(id, holder.lease, now)?.state === 'busy' ? 'done' : 'stale';
    }
    Object.assign(worker, { state: 'busy', since: now, wasPaused: false, hold: this.#holdOf(holder) });
    return 'done';
  }

  async park(id: ContainerId, lease: string): Promise<'done' | 'stale'> {
    const worker = this.#workers.held(id, lease, this.#clock.now());
    if (worker?.state !== 'busy') return 'stale';
    this.#workers.letGo(worker, 'paused', this.#clock.now());
    this.#tell(worker.of);
    return 'done';
  }

  async evict(id: ContainerId, lease: string): Promise<'done' | 'stale'> {
    const worker = this.#workers.held(id, lease, this.#clock.now());
    if (!worker) return 'stale';
    this.#workers.terminate(worker, worker.hold, this.#clock.now());
    return 'done';
  }

  async retire(
    id: ContainerId,
    since: Instant,
    keep: number,
    holder: Holder,
  ): Promise<'done' | 'kept' | 'stale'> {
    const [workers, now] = [this.#workers, this.#clock.now()];
    const worker = workers.all.get(id);
    if (!worker || worker.hold !== null || worker.since !== since) {
      return workers.held(id, holder.lease, now)?.state === 'terminating' ? 'done' : 'stale';
    }
    const usable = workers.of(worker.of).filter(({ state }) => state !== 'terminating');
    if (usable.length <= keep) return 'kept';
    workers.terminate(worker, this.#holdOf(holder), now);
    return 'done';
  }

  async gone(id: ContainerId): Promise<void> {
    const { all, instances, waiting } = this.#workers;
    const worker = all.get(id);
    if (worker?.state !== 'terminating') return;
    all.delete(id);
    if (all.size === 0) instances.clear();
    if ((waiting.get('') ?? 0) > this.#clock.now()) this.#tellAll(undefined);
    else this.#tell(worker.of);
  }

  async beat(instance: string, held: readonly HeldWorker[]): Promise<{ lost: ContainerId[] }> {
    const [workers, now] = [this.#workers, this.#clock.now()];
    if (held.length > 0) workers.instances.set(instance, now);
    else workers.instances.delete(instance);
    const lost: ContainerId[] = [];
    for (const one of held) {
      if (!workers.all.has(one.worker)) {
        workers.enter(one, one.state, this.#holdOf({ ...one, instance }), now);
      } else if (!workers.held(one.worker, one.lease, now)) lost.push(one.worker);
    }
    return { lost };
  }

  async takeOver(holder: Holder, ownLeases: readonly string[]): Promise<ContainerId[]> {
    const [{ all, instances }, now] = [this.#workers, this.#clock.now()];
    const silent = now - ms(INSTANCE_SILENT_SECONDS);
    const lost = [...all.values()].filter(({ hold, since }) => {
      if (hold === null || hold.until <= now) return hold !== null;
      if (hold.instance === holder.instance) return !ownLeases.includes(hold.lease);
      return Math.max(instances.get(hold.instance) ?? 0, since) <= silent;
    });
    for (const worker of lost) this.#workers.terminate(worker, this.#holdOf(holder), now);
    for (const [instance, beat] of instances) if (beat <= silent) instances.delete(instance);
    if (lost.length > 0) instances.set(holder.instance, now);
    return lost.map(({ worker }) => worker);
  }

  async adopt(worker: WorkerOf, max: number): Promise<'done' | 'stale'> {
    if (this.#workers.all.has(worker.worker) || this.#workers.of(worker.of).length >= max) return 'stale';
    this.#workers.enter(worker, 'idle', null, this.#clock.now());
    this.#tell(worker.of);
    return 'done';
  }

  async known(workers: readonly ContainerId[]): Promise<Set<ContainerId>> {
    return new Set(workers.filter((worker) => this.#workers.all.has(worker)));
  }

  async look(): Promise<{ workers: WorkerView[]; now: Instant }> {
    const workers = [...this.#workers.all.values()].map(
      ({ worker, of, revision, state, since, createdAt, hold }): WorkerView => ({
        ...{ worker, of: { ...of }, revision, state, since, createdAt },
        instance: hold?.instance ?? null,
      }),
    );
    return { workers, now: this.#clock.now() };
  }

  onFree(listener: Listener): () => void {
    // An own function each time, so that one who listens twice stops once at a time.
    const told: Listener = (of) => listener(of);
    this.#listeners.add(told);
    return () => this.#listeners.delete(told);
  }

  #holdOf({ instance, lease, seconds }: Holder): Hold {
    return { instance, lease, until: this.#clock.now() + ms(seconds) };
  }

  /** Somebody waits for one of this function; '': for a place of any. */
  #noteWaiting(name: string): void {
    const [{ waiting }, now] = [this.#workers, this.#clock.now()];
    for (const [other, until] of waiting) if (until <= now) waiting.delete(other);
    waiting.set(name, now + ms(WAITING_SECONDS));
  }

  #tell(of: FunctionKey): void {
    if ((this.#workers.waiting.get(nameOf(of)) ?? 0) > this.#clock.now()) this.#tellAll({ ...of });
  }

  #tellAll(of: FunctionKey | undefined): void {
    for (const told of this.#listeners) queueMicrotask(() => told(of));
  }
}

function nameOf({ tenant, name }: FunctionKey): string {
  return `${tenant}:${name}`;
}
