import type { Instant } from '../../contracts/conversation-record.ts';
import type { FunctionKey } from '../../contracts/function-key.ts';
import type { ContainerId } from '../../contracts/ids.ts';
import type { WorkerOf, WorkerState } from '../worker-store.ts';

export interface Hold {
  instance: string;
  lease: string;
  until: Instant;
}

export interface StoredWorker extends WorkerOf {
  state: WorkerState;
  since: Instant;
  createdAt: Instant;
  /** How many have had it. */
  calls: number;
  /** When it was last acquired. */
  wasPaused: boolean;
  /** Null while it is idle or paused. */
  hold: Hold | null;
}

/** What is known of functions' workers. */
export class MemoryWorkers {
  /** Those that were let go in that order, the last one last. */
  readonly all = new Map<ContainerId, StoredWorker>();
  /** Lease → the worker that an acquire gave it, while it is busy. */
  readonly leases = new Map<string, ContainerId>();
  /** Instance → its last beat. */
  readonly instances = new Map<string, Instant>();
  /** Function → until when somebody waits; '' for a place of any. */
  readonly waiting = new Map<string, Instant>();

  of(key: FunctionKey): StoredWorker[] {
    return [...this.all.values()].filter(({ of }) => of.tenant === key.tenant && of.name === key.name);
  }

  /** The one that is in this state and was let go last first. */
  lastFirst(key: FunctionKey, state: 'idle' | 'paused'): StoredWorker[] {
    return this.of(key)
      .filter((worker) => worker.state === state)
      .reverse();
  }

  /** The worker if this lease holds it. A lease whose time is past holds nothing. */
  held(id: ContainerId, lease: string, now: Instant): StoredWorker | undefined {
    const worker = this.all.get(id);
    return worker?.hold?.lease === lease && worker.hold.until > now ? worker : undefined;
  }

  enter(made: WorkerOf, state: WorkerState, hold: Hold | null, now: Instant): void {
    const { worker, of, revision } = made;
    const calls = state === 'busy' ? 1 : 0;
    this.all.set(worker, {
      ...{ worker, of: { ...of }, revision, state, since: now, createdAt: now },
      ...{ calls, wasPaused: false, hold },
    });
  }

  letGo(worker: StoredWorker, state: 'idle' | 'paused', now: Instant): void {
    this.#leaveLease(worker);
    Object.assign(worker, { state, since: now, hold: null });
    this.all.delete(worker.worker);
    this.all.set(worker.worker, worker);
  }

  terminate(worker: StoredWorker, hold: Hold | null, now: Instant): void {
    this.#leaveLease(worker);
    if (worker.state !== 'terminating') worker.since = now;
    Object.assign(worker, { state: 'terminating', hold });
  }

  #leaveLease({ worker, hold }: StoredWorker): void {
    if (hold && this.leases.get(hold.lease) === worker) this.leases.delete(hold.lease);
  }
}
