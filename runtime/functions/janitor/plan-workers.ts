import type { Instant } from '../../contracts/conversation-record.ts';
import { nameOf } from '../../contracts/function-key.ts';
import type { ContainerId } from '../../contracts/ids.ts';
import type { WorkerView } from '../../state/worker-store.ts';
import type { FunctionDefinition } from '../definitions/function-definition.ts';
import { isFree } from './worker-states.ts';

export type WorkerAction =
  | {
      kind: 'retire';
      worker: ContainerId;
      since: Instant;
      /** Not where it would leave fewer than so many. */
      keep: number;
      reason: 'idle' | 'outdated' | 'deleted' | 'above_max';
    }
  | { kind: 'pause'; worker: ContainerId; since: Instant; reason: 'idle' }
  | { kind: 'prewarm'; definition: FunctionDefinition; count: number; reason: 'below_min' };

export interface WorkerPlanSettings {
  /** None: workers are not paused. */
  pauseAfterSeconds: number | undefined;
}

/** What to do about workers that nobody has: end those that are not needed, pause the rest, and see that there are enough. */
export function planWorkers(
  definitions: readonly FunctionDefinition[],
  workers: readonly WorkerView[],
  now: Instant,
  settings: WorkerPlanSettings,
): WorkerAction[] {
  const byFunction = Map.groupBy(workers, ({ of }) => nameOf(of));
  const known = new Map(definitions.map((definition) => [nameOf(definition.of), definition]));
  const abandoned = [...byFunction].filter(([name]) => !known.has(name)).flatMap(([, theirs]) => theirs);
  return [
    ...abandoned.filter(isFree).map((worker) => retire(worker, 0, 'deleted')),
    ...definitions.flatMap((definition) =>
      planOne(definition, byFunction.get(nameOf(definition.of)) ?? [], now, settings),
    ),
  ];
}

function planOne(
  definition: FunctionDefinition,
  workers: readonly WorkerView[],
  now: Instant,
  { pauseAfterSeconds }: WorkerPlanSettings,
): WorkerAction[] {
  /** A paused one was idle before that. */
  const idleMs = ({ state, since }: WorkerView) =>
    now - since + (state === 'paused' ? (pauseAfterSeconds ?? 0) * 1000 : 0);
  const { revision, scaling } = definition;
  const actions: WorkerAction[] = [];
  const outdated = workers.filter((worker) => worker.revision !== revision);
  for (const worker of outdated.filter(isFree)) actions.push(retire(worker, 0, 'outdated'));

  const current = workers.filter((worker) => worker.revision === revision && worker.state !== 'terminating');
  // The last that were used are the first to be used again, so that the others come to their end.
  const free = current.filter(isFree).toSorted((one, other) => one.since - other.since);
  let left = current.length;
  const kept: WorkerView[] = [];
  for (const worker of free) {
    const tooMany = left > scaling.maxCapacity;
    const idle = idleMs(worker) >= scaling.idleTimeoutSeconds * 1000 && left > scaling.minCapacity;
    if (tooMany || idle) {
      actions.push(retire(worker, scaling.minCapacity, tooMany ? 'above_max' : 'idle'));
      left -= 1;
    } else kept.push(worker);
  }
  if (left < scaling.minCapacity)
    actions.push({ kind: 'prewarm', definition, count: scaling.minCapacity - left, reason: 'below_min' });
  if (pauseAfterSeconds === undefined) return actions;
  const toPause = kept.filter(
    (worker) => worker.state === 'idle' && idleMs(worker) >= pauseAfterSeconds * 1000,
  );
  return [
    ...actions,
    ...toPause.map(({ worker, since }): WorkerAction => ({ kind: 'pause', worker, since, reason: 'idle' })),
  ];
}

function retire(
  { worker, since }: WorkerView,
  keep: number,
  reason: Extract<WorkerAction, { kind: 'retire' }>['reason'],
): WorkerAction {
  return { kind: 'retire', worker, since, keep, reason };
}
