import type { Instant } from '../../contracts/conversation-record.ts';
import { BerthError } from '../../contracts/errors.ts';
import type { FunctionKey } from '../../contracts/function-key.ts';
import type { ContainerId } from '../../contracts/ids.ts';
import type {
  Acquired,
  AcquireRequest,
  HeldWorker,
  Holder,
  ReserveRequest,
  WorkerOf,
  WorkerStore,
  WorkerView,
} from '../worker-store.ts';
import type { WorkerScriptName } from './lua-scripts.ts';
import type { RedisHints } from './redis-hints.ts';
import { done, fenced } from './reply-parts.ts';
import { ms, type ScriptArgument } from './script-arguments.ts';
import type { ScriptRunner } from './script-runner.ts';
import * as replies from './worker-replies.ts';

/** A script keeps everybody waiting, so that one takes no more than this. */
const WORKERS_A_CALL = 1_000;

/** The workers of functions, in Redis. */
export class RedisWorkerStore implements WorkerStore {
  readonly #scripts: ScriptRunner<WorkerScriptName>;
  readonly #freed: RedisHints;

  constructor(scripts: ScriptRunner<WorkerScriptName>, freed: RedisHints) {
    this.#scripts = scripts;
    this.#freed = freed;
  }

  acquire({ of, revision, holder }: AcquireRequest): Promise<Acquired> {
    return this.#scripts.run('acquireWorker', [nameOf(of), revision, ...held(holder)], replies.acquired);
  }

  async reserve(request: ReserveRequest): Promise<'reserved' | 'full' | 'no-room'> {
    const { worker, holder, max, total } = request;
    const args = [...named(request), ...held(holder), max, total];
    const reply = await this.#scripts.run('reserveWorker', args, replies.reserved);
    if (reply !== 'worker-taken') return reply;
    throw new BerthError('INTERNAL', `The worker id ${worker} is taken already.`);
  }

  ready(worker: ContainerId, lease: string): Promise<'done' | 'stale'> {
    return this.#scripts.run('readyWorker', [worker, lease], fenced);
  }

  release(worker: ContainerId, lease: string, revision: string): Promise<'idle' | 'terminating' | 'stale'> {
    return this.#scripts.run('releaseWorker', [worker, lease, revision], replies.released);
  }

  take(worker: ContainerId, since: Instant, holder: Holder): Promise<'done' | 'stale'> {
    return this.#scripts.run('takeWorker', [worker, since, ...held(holder)], fenced);
  }

  park(worker: ContainerId, lease: string): Promise<'done' | 'stale'> {
    return this.#scripts.run('parkWorker', [worker, lease], fenced);
  }

  evict(worker: ContainerId, lease: string): Promise<'done' | 'stale'> {
    return this.#scripts.run('evictWorker', [worker, lease], fenced);
  }

  retire(
    worker: ContainerId,
    since: Instant,
    keep: number,
    holder: Holder,
  ): Promise<'done' | 'kept' | 'stale'> {
    return this.#scripts.run('retireWorker', [worker, since, keep, ...held(holder)], replies.retired);
  }

  async gone(worker: ContainerId): Promise<void> {
    await this.#scripts.run('workerGone', [worker], done);
  }

  async beat(instance: string, all: readonly HeldWorker[]): Promise<{ lost: ContainerId[] }> {
    const lost: ContainerId[] = [];
    for (const some of inParts(all)) {
      const args = some.flatMap((one) => [...named(one), one.state, one.lease, ms(one.seconds)]);
      lost.push(...(await this.#scripts.run('beatInstance', [instance, ...args], replies.workers)));
    }
    return { lost };
  }

  takeOver(holder: Holder, ownLeases: readonly string[]): Promise<ContainerId[]> {
    return this.#scripts.run('takeOverWorkers', [...held(holder), ...ownLeases], replies.workers);
  }

  adopt(worker: WorkerOf, max: number): Promise<'done' | 'stale'> {
    return this.#scripts.run('adoptWorker', [...named(worker), max], fenced);
  }

  async known(workers: readonly ContainerId[]): Promise<Set<ContainerId>> {
    const known = new Set<ContainerId>();
    for (const some of inParts(workers)) {
      const places = new Set(await this.#scripts.run('knownWorkers', some, replies.places));
      for (const [place, worker] of some.entries()) if (places.has(place)) known.add(worker);
    }
    return known;
  }

  look(): Promise<{ workers: WorkerView[]; now: Instant }> {
    return this.#scripts.run('lookAtWorkers', [], replies.view);
  }

  onFree(listener: (of: FunctionKey | undefined) => void): () => void {
    return this.#freed.onHint((message = '') => listener(replies.parseFunctionKey(message)));
  }
}

/** At least one. */
function inParts<Item>(all: readonly Item[]): Item[][] {
  const parts = [all.slice(0, WORKERS_A_CALL)];
  for (let from = WORKERS_A_CALL; from < all.length; from += WORKERS_A_CALL) {
    parts.push(all.slice(from, from + WORKERS_A_CALL));
  }
  return parts;
}

function nameOf({ tenant, name }: FunctionKey): string {
  return `${tenant}:${name}`;
}

function named({ worker, of, revision }: WorkerOf): ScriptArgument[] {
  return [worker, nameOf(of), revision];
}

function held({ instance, lease, seconds }: Holder): ScriptArgument[] {
  return [instance, lease, ms(seconds)];
}
