import {
  DescribeTasksCommand,
  ListTasksCommand,
  RunTaskCommand,
  type RunTaskCommandInput,
  TagResourceCommand,
} from '@aws-sdk/client-ecs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CAPACITY_UNAVAILABLE } from './api/faults.ts';
import { ArrangedEmulator, CLUSTER, refusal } from './arranged-emulator.ts';

let arranged: ArrangedEmulator;
// A clock that all but stands still, so that no bucket fills by itself.
beforeEach(async () => {
  arranged = await ArrangedEmulator.start({ speed: 0.001 });
  await arranged.register();
});
afterEach(() => arranged[Symbol.asyncDispose]());

const list = () => arranged.ecs.send(new ListTasksCommand({ cluster: CLUSTER }));
const run = (changes?: Partial<RunTaskCommandInput>) =>
  arranged.ecs.send(new RunTaskCommand(arranged.runInput(changes)));

/** How many of so many calls at once are not throttled. */
async function passed(count: number, call: () => Promise<unknown>): Promise<number> {
  const names = await Promise.all(
    Array.from({ length: count }, () =>
      call().then(
        () => 'passed',
        (error: Error) => error.name,
      ),
    ),
  );
  expect(new Set(names)).toEqual(new Set(['passed', 'ThrottlingException']));
  return names.filter((name) => name === 'passed').length;
}

// "Request throttling for the Amazon ECS API": burst and sustained rate of each action.
describe('throttling', () => {
  it('lets a burst of 100 lists through, then 20 a second', async () => {
    expect(await passed(120, list)).toBe(100);
    arranged.emulator.clock.advance(1010);
    expect(await passed(30, list)).toBe(20);
    expect(await refusal(list())).toMatchObject({
      message: 'Rate exceeded',
      $metadata: { httpStatusCode: 400 },
    });
  });

  it('counts each action by itself', async () => {
    expect(await passed(110, list)).toBe(100);
    const describe = new DescribeTasksCommand({ cluster: CLUSTER, tasks: ['f'.repeat(32)] });
    await arranged.ecs.send(describe);
  });

  it('lets 20 TagResource calls through, then 10 a second', async () => {
    const arn = await arranged.run();
    const tag = () =>
      arranged.ecs.send(new TagResourceCommand({ resourceArn: arn, tags: [{ key: 'a', value: 'b' }] }));
    expect(await passed(30, tag)).toBe(20);
    arranged.emulator.clock.advance(1010);
    expect(await passed(15, tag)).toBe(10);
  });

  // "AWS Fargate throttling quotas": 100 tasks at once, then 20 a second.
  it('lets 100 tasks be launched at once, then 20 a second, however many a call', async () => {
    expect(await passed(12, () => run({ count: 10 }))).toBe(10);
    arranged.emulator.clock.advance(1010);
    expect(await passed(4, () => run({ count: 10 }))).toBe(2);
  });
});

describe('a fault', () => {
  it('errorAfter: the task is started, and RunTask answers 500', async () => {
    arranged.emulator.faults.add({ operation: 'RunTask', kind: 'errorAfter' });
    const error = await refusal(run({ clientToken: 'ws-1' }));
    expect(error).toMatchObject({ name: 'ServerException', $metadata: { httpStatusCode: 500 } });
    expect(arranged.emulator.tasks).toHaveLength(1);
    const { tasks } = await run({ clientToken: 'ws-1' });
    expect(tasks?.[0]?.taskArn).toBe(arranged.emulator.tasks[0]?.arn);
    expect(arranged.emulator.tasks).toHaveLength(1);
  });

  it('drop and dropAfter: the connection is cut, before or after the act', async () => {
    arranged.emulator.faults.add({ operation: 'RunTask', kind: 'drop' });
    await expect(run()).rejects.toThrow(/socket hang up|ECONNRESET/);
    expect(arranged.emulator.tasks).toHaveLength(0);
    arranged.emulator.faults.add({ operation: 'RunTask', kind: 'dropAfter' });
    await expect(run()).rejects.toThrow(/socket hang up|ECONNRESET/);
    expect(arranged.emulator.tasks).toHaveLength(1);
  });

  // api_failures_messages: RunTask.
  it('failures: RunTask answers 200 with the reason for each task, and starts none', async () => {
    arranged.emulator.faults.add({ operation: 'RunTask', kind: 'failures', reason: CAPACITY_UNAVAILABLE });
    const { tasks, failures } = await run({ count: 2 });
    expect(tasks).toEqual([]);
    expect(failures).toEqual([{ reason: CAPACITY_UNAVAILABLE }, { reason: CAPACITY_UNAVAILABLE }]);
    expect(arranged.emulator.tasks).toHaveLength(0);
  });

  it('meets so many calls, or those within a time, or until it is removed', async () => {
    const faults = arranged.emulator.faults;
    const refusals = async (): Promise<string> => (await refusal(list())).name;
    faults.add({ operation: 'ListTasks', kind: 'error', code: 'ServerException', times: 2 });
    expect([await refusals(), await refusals()]).toEqual(['ServerException', 'ServerException']);
    await list();
    faults.add({ operation: 'ListTasks', kind: 'throttle', forMs: 60_000 });
    expect(await refusals()).toBe('ThrottlingException');
    arranged.emulator.clock.advance(60_001);
    await list();
    const end = faults.add({
      operation: '*',
      kind: 'error',
      code: 'AccessDeniedException',
      times: Number.POSITIVE_INFINITY,
    });
    expect([await refusals(), await refusals()]).toEqual(['AccessDeniedException', 'AccessDeniedException']);
    end();
    await list();
  });

  it('meets only the calls that it is for', async () => {
    arranged.emulator.faults.add({
      operation: 'RunTask',
      kind: 'throttle',
      when: ({ startedBy }) => startedBy === 'berth/ws-2',
    });
    await run({ startedBy: 'berth/ws-1' });
    expect((await refusal(run({ startedBy: 'berth/ws-2' }))).name).toBe('ThrottlingException');
  });
});

it('every call is logged with its time, its input and what it was answered', async () => {
  const before = arranged.emulator.clock.now();
  await list();
  await refusal(arranged.ecs.send(new ListTasksCommand({ cluster: 'other' })));
  expect(arranged.emulator.calls.of('ListTasks')).toMatchObject([
    { status: 200, input: { cluster: CLUSTER } },
    { status: 400, error: 'ClusterNotFoundException' },
  ]);
  expect(arranged.emulator.calls.of('ListTasks')[0]?.at).toBeGreaterThanOrEqual(before);
  expect(arranged.emulator.calls.counts()).toMatchObject({ ListTasks: 2, RegisterTaskDefinition: 1 });
  arranged.emulator.calls.clear();
  expect(arranged.emulator.calls.all).toEqual([]);
});
