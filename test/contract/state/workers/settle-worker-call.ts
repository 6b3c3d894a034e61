import type { FunctionKey } from '../../../../runtime/contracts/function-key.ts';
import type { ContainerId } from '../../../../runtime/contracts/ids.ts';
import type { StoredWorker } from '../../../../runtime/state/memory/memory-workers.ts';
import { parseFunctionKey } from '../../../../runtime/state/redis/worker-replies.ts';
import type { HeldWorker, WorkerState } from '../../../../runtime/state/worker-store.ts';
import { must } from '../../../support/must.ts';
import { worker } from '../names.ts';
import type { WorkerCall, WorkerKind } from './operations.ts';
import type { WorkersDump } from './workers-dump.ts';

/** A call with all that depends on what the store holds, so that it can be made on two stores, and again. */
export interface SettledWorkerCall {
  kind: WorkerKind;
  worker: ContainerId;
  of: FunctionKey;
  revision: string;
  instance: string;
  /** Under which it is done, or which is to hold it after. */
  lease: string;
  seconds: number;
  since: number;
  keep: number;
  held: HeldWorker[];
  ownLeases: string[];
}

/** Of an acquire it says which function: one with a worker to be had. */
const FITS: Partial<Record<WorkerKind, readonly WorkerState[]>> = {
  acquire: ['idle', 'paused'],
  ready: ['provisioning'],
  release: ['busy'],
  take: ['idle'],
  park: ['busy'],
  evict: ['provisioning', 'busy'],
  retire: ['idle', 'paused'],
  gone: ['terminating'],
};
const UNDER_ITS_LEASE: readonly WorkerKind[] = ['ready', 'release', 'park', 'evict'];

/** Settles which worker, which lease and what else each call names. An id that was gone never comes again. */
export class WorkerNaming {
  #workers = 0;
  #leases = 0;
  readonly #acquirers: string[] = [];
  /** Known to instances, or to be found at the backend, since the store lost it. */
  #lost: StoredWorker[] = [];

  /** The store forgets all it has. */
  lose(dump: WorkersDump): void {
    this.#lost = Object.values(dump.workers);
  }

  settle(call: WorkerCall, dump: WorkersDump, now: number): SettledWorkerCall {
    const all = Object.values(dump.workers).sort((one, other) => (one.worker < other.worker ? -1 : 1));
    this.#lost = this.#lost.filter(({ worker }) => !dump.ids.includes(worker));
    const fitting = all.filter(({ state }) => !call.aims || FITS[call.kind]?.includes(state));
    const target = call.kind === 'adopt' ? this.#toAdopt(call, all) : fitting.at(call.pick % fitting.length);
    const isNew = target === undefined || (call.kind === 'reserve' && call.aims);
    const of = isNew ? must(parseFunctionKey(call.of)) : target.of;
    return {
      ...{ kind: call.kind, instance: call.instance, seconds: call.seconds, keep: call.keep },
      worker: isNew ? worker(++this.#workers, of.name) : target.worker,
      of,
      revision: call.rightRevision ? (target?.revision ?? call.revision) : call.revision,
      since: (target?.since ?? 0) + (call.rightSince ? 0 : 1),
      lease: this.#leaseOf(call, target),
      held: this.#heldBy(call, all, now),
      ownLeases: this.#heldBy({ ...call, aims: true }, all, now).flatMap(({ lease }, i) =>
        call.rightLease || i % 2 === 0 ? [lease] : [],
      ),
    };
  }

  #leaseOf(call: WorkerCall, target: StoredWorker | undefined): string {
    const earlier = this.#acquirers.at(-1 - call.pick) ?? 'none';
    if (UNDER_ITS_LEASE.includes(call.kind)) return (call.rightLease && target?.hold?.lease) || earlier;
    if (call.kind === 'acquire' && !call.rightLease) return earlier;
    const lease = `l${++this.#leases}`;
    if (call.kind === 'acquire') this.#acquirers.push(lease);
    return lease;
  }

  /** What the instance holds, as it knows itself, though the store may have lost it. */
  #heldBy({ instance, aims }: WorkerCall, all: StoredWorker[], now: number): HeldWorker[] {
    return [...all, ...this.#lost].flatMap(({ worker, of, revision, state, hold }) => {
      if (state === 'idle' || state === 'paused' || hold === null || !aims) return [];
      if (hold.instance !== instance) return [];
      const seconds = Math.max(1, (hold.until - now) / 1_000);
      return [{ worker, of, revision, state, lease: hold.lease, seconds }];
    });
  }

  /** One that the store lost while nobody held it, or one that it knows; else a new one. */
  #toAdopt({ pick, aims }: WorkerCall, all: StoredWorker[]): StoredWorker | undefined {
    const nobodys = this.#lost.filter(({ hold }) => hold === null);
    return aims ? nobodys[pick % nobodys.length] : all[pick % all.length];
  }
}
