import { isBerthError } from '../../../../runtime/contracts/errors.ts';
import type { WorkerStore } from '../../../../runtime/state/worker-store.ts';
import type { SettledWorkerCall } from './settle-worker-call.ts';

export const MAX_WORKERS = 3;
export const TOTAL_WORKERS = 5;

/** Makes the call and gives its answer as a plain value; a refusal by exception is an answer as well. */
export async function performWorkerCall(store: WorkerStore, call: SettledWorkerCall): Promise<unknown> {
  const { worker, of, revision, lease, instance, since } = call;
  const holder = { instance, lease, seconds: call.seconds };
  switch (call.kind) {
    case 'reserve':
      return store
        .reserve({ worker, of, revision, holder, max: MAX_WORKERS, total: TOTAL_WORKERS })
        .catch(refusal);
    case 'ready':
      return store.ready(worker, lease);
    case 'acquire':
      return store.acquire({ of, revision, holder });
    case 'release':
      return store.release(worker, lease, revision);
    case 'take':
      return store.take(worker, since, holder);
    case 'park':
      return store.park(worker, lease);
    case 'evict':
      return store.evict(worker, lease);
    case 'retire':
      return store.retire(worker, since, call.keep, holder);
    case 'gone':
      return store.gone(worker);
    case 'beat':
      return { lost: (await store.beat(instance, call.held)).lost.sort() };
    case 'takeOver':
      return (await store.takeOver(holder, call.ownLeases)).sort();
    case 'adopt':
      return store.adopt({ worker, of, revision }, MAX_WORKERS);
    case 'look': {
      const { workers, now } = await store.look();
      const sorted = workers.sort((one, other) => (one.worker < other.worker ? -1 : 1));
      return { workers: sorted, now, known: [...(await store.known([worker]))] };
    }
  }
}

function refusal(error: unknown): unknown {
  if (isBerthError(error, 'INTERNAL')) return 'taken';
  throw error;
}
