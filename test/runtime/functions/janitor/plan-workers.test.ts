import { describe, expect, it } from 'vitest';
import type { FunctionKey } from '../../../../runtime/contracts/function-key.ts';
import { newWorkerId, parseFunctionName, parseTenantId } from '../../../../runtime/contracts/ids.ts';
import type { FunctionDefinition } from '../../../../runtime/functions/definitions/function-definition.ts';
import { planWorkers } from '../../../../runtime/functions/janitor/plan-workers.ts';
import type { WorkerState, WorkerView } from '../../../../runtime/state/worker-store.ts';
import { must } from '../../../support/must.ts';

const NOW = 1_000_000;
const NO_PAUSE = { pauseAfterSeconds: undefined };

function key(name: string): FunctionKey {
  const parsed = { tenant: parseTenantId('acme'), name: parseFunctionName(name) };
  if (parsed.tenant === undefined || parsed.name === undefined) throw new Error('no names');
  return { tenant: parsed.tenant, name: parsed.name };
}

function defined(scaling: Partial<FunctionDefinition['scaling']> = {}, name = 'f'): FunctionDefinition {
  return {
    of: key(name),
    image: 'function-node:1',
    env: {},
    port: 8080,
    path: '/',
    timeoutSeconds: 60,
    resources: { cpus: 1, memoryMb: 512, pids: 128 },
    scaling: {
      minCapacity: 0,
      maxCapacity: 4,
      idleTimeoutSeconds: 300,
      acquireTimeoutSeconds: 30,
      queue: 100,
      ...scaling,
    },
    revision: 'r2',
    createdAt: new Date(0),
    updatedAt: new Date(0),
  };
}

let made = 0;
function worker(state: WorkerState, idleSeconds: number, revision = 'r2', name = 'f'): WorkerView {
  made += 1;
  const of = key(name);
  return {
    worker: newWorkerId(of.name, made.toString(16).padStart(12, '0')),
    of,
    revision,
    state,
    since: NOW - idleSeconds * 1000,
    createdAt: 0,
    instance: null,
  };
}

const kinds = (actions: ReturnType<typeof planWorkers>) =>
  actions.map(
    (action) =>
      `${action.kind} ${'worker' in action ? action.worker.slice(-4) : action.count} ${action.reason}`,
  );
const last = (view: WorkerView | undefined) => must(view).worker.slice(-4);

describe('the plan for workers', () => {
  it('does nothing about what is used, being made or being ended', () => {
    const workers = [worker('busy', 9999), worker('provisioning', 9999), worker('terminating', 9999)];
    expect(planWorkers([defined()], workers, NOW, NO_PAUSE)).toEqual([]);
  });

  it('ends what has been idle for its time, to the very second, and nothing before', () => {
    const [due, notYet] = [worker('idle', 300), worker('idle', 299)];
    expect(kinds(planWorkers([defined()], [due, notYet], NOW, NO_PAUSE))).toEqual([
      `retire ${last(due)} idle`,
    ]);
  });

  it('leaves the minimum, those that were used last', () => {
    const workers = [worker('idle', 400), worker('idle', 500), worker('busy', 9999), worker('idle', 600)];
    const actions = planWorkers([defined({ minCapacity: 2 })], workers, NOW, NO_PAUSE);
    expect(kinds(actions)).toEqual([workers[3], workers[1]].map((each) => `retire ${last(each)} idle`));
    for (const action of actions) expect(action).toMatchObject({ keep: 2 });
  });

  it('makes what is missing to the minimum: what is being made counts, what is being ended does not', () => {
    const workers = [worker('provisioning', 1), worker('terminating', 1), worker('idle', 1, 'r1')];
    expect(kinds(planWorkers([defined({ minCapacity: 3 })], workers, NOW, NO_PAUSE))).toEqual([
      `retire ${last(workers[2])} outdated`,
      'prewarm 2 below_min',
    ]);
  });

  it('ends free workers of another revision at once, and those of a function that is no more', () => {
    const workers = [
      worker('idle', 0, 'r1'),
      worker('paused', 0, 'r1'),
      worker('busy', 0, 'r1'),
      worker('idle', 0, 'r2', 'gone'),
      worker('busy', 0, 'r2', 'gone'),
    ];
    expect(kinds(planWorkers([defined()], workers, NOW, NO_PAUSE))).toEqual([
      `retire ${last(workers[3])} deleted`,
      `retire ${last(workers[0])} outdated`,
      `retire ${last(workers[1])} outdated`,
    ]);
  });

  it('ends what is above a maximum that was lowered', () => {
    const workers = [worker('idle', 1), worker('idle', 3), worker('idle', 2)];
    expect(kinds(planWorkers([defined({ maxCapacity: 1 })], workers, NOW, NO_PAUSE))).toEqual([
      `retire ${last(workers[1])} above_max`,
      `retire ${last(workers[2])} above_max`,
    ]);
  });

  it('pauses what has been idle for a while, once, and ends it in time all the same', () => {
    const workers = [worker('idle', 30), worker('idle', 29), worker('paused', 100), worker('paused', 270)];
    expect(kinds(planWorkers([defined()], workers, NOW, { pauseAfterSeconds: 30 }))).toEqual([
      `retire ${last(workers[3])} idle`,
      `pause ${last(workers[0])} idle`,
    ]);
  });
});
