import { isDeepStrictEqual } from 'node:util';
import { nameOf } from '../../../../runtime/contracts/function-key.ts';
import type { WorkerState } from '../../../../runtime/state/worker-store.ts';
import type { WorkerKind } from './operations.ts';
import { MAX_WORKERS, TOTAL_WORKERS } from './perform-worker-call.ts';
import type { SettledWorkerCall } from './settle-worker-call.ts';
import type { WorkersDump } from './workers-dump.ts';

/** Which of the promises that hold in every state are broken in this one. */
export function brokenInvariants(dump: WorkersDump): string[] {
  const all = Object.values(dump.workers);
  /** Function → those of its workers that are in one of these states. */
  const those = (...states: WorkerState[]) => {
    const chosen = all.filter(({ state }) => states.length === 0 || states.includes(state));
    return sortedGroups(Object.groupBy(chosen, ({ of }) => nameOf(of)));
  };
  const leases = Object.entries(dump.leases);
  return broken({
    'every worker is counted': isDeepStrictEqual(dump.ids, Object.keys(dump.workers).sort()),
    'every worker is its function’s': isDeepStrictEqual(dump.of, those()),
    'who terminates is counted': isDeepStrictEqual(dump.terminating, those('terminating')),
    'who is idle can be had, and nobody else': isDeepStrictEqual(sorted(dump.idle), those('idle')),
    'who is paused can be had, and nobody else': isDeepStrictEqual(sorted(dump.paused), those('paused')),
    'who is idle or paused is nobody’s, and nobody else': all.every(
      ({ state, hold }) => (hold === null) === (state === 'idle' || state === 'paused'),
    ),
    'a lease that was given a worker has it, busy': leases.every(([lease, id]) => {
      const { state, hold } = dump.workers[id] ?? {};
      return state === 'busy' && hold?.lease === lease;
    }),
    'without workers nothing is left': all.length > 0 || Object.keys(dump.instances).length === 0,
  });
}

const NEXT: Record<WorkerState, readonly WorkerState[]> = {
  provisioning: ['idle', 'terminating'],
  idle: ['busy', 'terminating'],
  paused: ['busy', 'terminating'],
  busy: ['idle', 'paused', 'terminating'],
  terminating: [],
};
/** Which of the promises about a single call are broken by this change. */
export function brokenByChange(
  call: SettledWorkerCall,
  before: WorkersDump,
  after: WorkersDump,
  now: number,
): string[] {
  const ids = [...new Set([...before.ids, ...after.ids])];
  return [
    ...brokenCounts(call, before, after),
    ...ids.flatMap((id) => brokenBy(call, id, before, after, now)),
  ];
}

function brokenCounts(
  { kind, of, keep }: SettledWorkerCall,
  before: WorkersDump,
  after: WorkersDump,
): string[] {
  const name = nameOf(of);
  const count = after.of[name]?.length ?? 0;
  const usable = count - (after.terminating[name]?.length ?? 0);
  const enters = after.ids.length > before.ids.length && kind !== 'beat';
  const retires = kind === 'retire' && !isDeepStrictEqual(before.terminating, after.terminating);
  return broken({
    'a function never has more than its maximum made': !enters || count <= MAX_WORKERS,
    'all together never reserve past theirs':
      !enters || kind === 'adopt' || after.ids.length <= TOTAL_WORKERS,
    'as many are left as are to be kept': !retires || usable >= keep,
  });
}

function brokenBy(
  call: SettledWorkerCall,
  id: string,
  before: WorkersDump,
  after: WorkersDump,
  now: number,
): string[] {
  const [was, is] = [before.workers[id], after.workers[id]];
  if (was === undefined)
    return broken({ [`${call.kind} makes one ${is?.state}`]: is?.state === newState(call, id) });
  if (is === undefined) {
    return broken({ 'only who terminates is gone': call.kind === 'gone' && was.state === 'terminating' });
  }
  const moves = was.state !== is.state;
  const acquired = call.kind === 'acquire' && moves && is.state === 'busy';
  return broken({
    [`${was.state} does not become ${is.state}`]: !moves || NEXT[was.state].includes(is.state),
    'it stays what it is': isDeepStrictEqual(
      [is.of, is.revision, is.createdAt],
      [was.of, was.revision, was.createdAt],
    ),
    'only who acquires it calls it': is.calls === was.calls + (acquired ? 1 : 0),
    'it says since when it is in its state': is.since === (moves ? now : was.since),
    'it is acquired as it is now': !acquired || is.revision === call.revision,
    'it is meant as it was seen': !moves || !SEEN.includes(call.kind) || was.since === call.since,
  });
}

const SEEN: readonly WorkerKind[] = ['take', 'retire'];

function newState({ kind, held }: SettledWorkerCall, id: string): WorkerState | undefined {
  if (kind === 'reserve') return 'provisioning';
  if (kind === 'adopt') return 'idle';
  return kind === 'beat' ? held.find(({ worker }) => worker === id)?.state : undefined;
}

/** Whether an answer promises that the call changed nothing, but that somebody may wait. */
export function refuses(answer: unknown): boolean {
  if (typeof answer === 'string') return ['stale', 'full', 'no-room', 'kept', 'taken'].includes(answer);
  return isDeepStrictEqual(answer, { kind: 'none', retired: [] });
}

function sorted(lists: Record<string, string[]>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(lists).map(([of, ids]) => [of, ids.toSorted()]));
}

function sortedGroups(groups: Partial<Record<string, { worker: string }[]>>): Record<string, string[]> {
  return sorted(
    Object.fromEntries(
      Object.entries(groups).map(([of, some = []]) => [of, some.map(({ worker }) => worker)]),
    ),
  );
}

function broken(promises: Record<string, boolean>): string[] {
  return Object.entries(promises).flatMap(([promise, holds]) => (holds ? [] : [promise]));
}
