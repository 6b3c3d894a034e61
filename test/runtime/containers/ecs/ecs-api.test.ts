import { afterEach, describe, expect, it, vi } from 'vitest';
import { must } from '../../../support/must.ts';
import { LOG_GROUP, StubEcs } from './stub-ecs.ts';

const nothing = () => undefined;
const UNKNOWN_TASK = `arn:aws:ecs:us-east-1:123456789012:task/berth/${'0'.repeat(32)}`;
const PATIENT = { seconds: 30 };

afterEach(() => vi.restoreAllMocks());

/** The pauses between the calls of one operation, in milliseconds. */
function pauses(ecs: StubEcs, operation: string): number[] {
  const times = ecs.emulator.calls.of(operation).map(({ at }) => at);
  return times.slice(1).map((at, n) => at - (times[n] ?? 0));
}

describe('a call that ECS has no room for', () => {
  it('is tried again after pauses that grow, until it succeeds', async () => {
    await using ecs = await StubEcs.start({ startAgent: nothing });
    vi.spyOn(Math, 'random').mockReturnValue(0.2);
    ecs.emulator.faults.add({ operation: 'RunTask', kind: 'throttle', times: 3 });

    const { tasks } = await ecs.api().runTask(ecs.runInput(), PATIENT);
    expect(tasks).toHaveLength(1);
    const [first = 0, second = 0, third = 0] = pauses(ecs, 'RunTask');
    expect(first).toBeGreaterThan(195);
    expect(second).toBeGreaterThan(395);
    expect(third).toBeGreaterThan(795);
    expect(first + second + third).toBeLessThan(3000);
  });

  it('waits a random part of that, so that many do not come back together', async () => {
    await using ecs = await StubEcs.start({ startAgent: nothing });
    vi.spyOn(Math, 'random').mockReturnValueOnce(0.001).mockReturnValueOnce(0.3).mockReturnValue(0);
    ecs.emulator.faults.add({ operation: 'DescribeTasks', kind: 'throttle', times: 2 });

    await ecs.api().describe([UNKNOWN_TASK]);
    const [first = 0, second = 0] = pauses(ecs, 'DescribeTasks');
    expect(first).toBeLessThan(195);
    expect(second).toBeGreaterThan(595);
  });

  it('is given up when its time is over, in words that name the call', async () => {
    await using ecs = await StubEcs.start({ startAgent: nothing });
    vi.spyOn(Math, 'random').mockReturnValue(0.05);
    ecs.emulator.faults.add({ operation: 'RunTask', kind: 'throttle', times: Infinity });

    await expect(ecs.api().runTask(ecs.runInput(), { seconds: 0.4 })).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      detail: expect.stringMatching(/no more calls of RunTask.*ThrottlingException/),
    });
    expect(ecs.emulator.calls.count('RunTask')).toBeGreaterThan(1);
  });

  it('is waited for no longer than its caller wants', async () => {
    await using ecs = await StubEcs.start({ startAgent: nothing });
    vi.spyOn(Math, 'random').mockReturnValue(0.9);
    ecs.emulator.faults.add({ operation: 'RunTask', kind: 'throttle', times: Infinity });
    const giveUp = new AbortController();
    const call = ecs.api().runTask(ecs.runInput(), { ...PATIENT, signal: giveUp.signal });
    await vi.waitFor(() => expect(ecs.emulator.calls.of('RunTask')[0]?.status).toBe(400));
    giveUp.abort();

    await expect(call).rejects.toThrow();
    expect(ecs.emulator.calls.count('RunTask')).toBe(1);
  });
});

describe('calls', () => {
  it('are made at most at their rate', async () => {
    await using ecs = await StubEcs.start({ startAgent: nothing, rates: {} });
    const api = ecs.api();
    const began = performance.now();
    await Promise.all(Array.from({ length: 48 }, () => api.ping()));

    // 40 at once, and 8 a second.
    expect(performance.now() - began).toBeGreaterThan(900);
  });

  it("are made at an instance's part of their rate, and looks at all tasks at a rate of their own", async () => {
    await using ecs = await StubEcs.start({ startAgent: nothing, rates: {} });
    const api = ecs.api({ instances: 8 });
    const began = performance.now();
    await Promise.all(Array.from({ length: 6 }, () => api.ping()));
    // 5 at once, and one a second.
    expect(performance.now() - began).toBeGreaterThan(900);

    const looked = performance.now();
    await Promise.all(Array.from({ length: 30 }, () => api.liveTasks()));
    expect(performance.now() - looked).toBeLessThan(10_000); // as part of the rate it would take 30 s
  });

  it('are not made for a description of none', async () => {
    await using ecs = await StubEcs.start({ startAgent: nothing });

    expect(await ecs.api().describe([])).toEqual([]);
    expect(ecs.emulator.calls.all).toEqual([]);
  });
});

describe('a RunTask that started its task and does not say so', () => {
  it.each(['errorAfter', 'dropAfter'] as const)('is asked again and is the same task: %s', async (kind) => {
    await using ecs = await StubEcs.start({ startAgent: nothing });
    vi.spyOn(Math, 'random').mockReturnValue(0.05);
    ecs.emulator.faults.add({ operation: 'RunTask', kind });

    const { tasks } = await ecs.api().runTask(ecs.runInput({ clientToken: 'one' }), PATIENT);
    expect(ecs.emulator.calls.count('RunTask')).toBe(2);
    expect(ecs.emulator.tasks.map(({ arn }) => arn)).toEqual([tasks[0]?.taskArn]);
  });
});

describe('a RunTask whose token was used before', () => {
  it('with the same parameters gives the same task', async () => {
    await using ecs = await StubEcs.start({ startAgent: nothing });
    const api = ecs.api();
    const input = ecs.runInput({ clientToken: 'one' });
    const [one, other] = [await api.runTask(input, PATIENT), await api.runTask(input, PATIENT)];

    expect(other.tasks[0]?.taskArn).toBe(one.tasks[0]?.taskArn);
  });

  it('with others gives the ARN of that task', async () => {
    await using ecs = await StubEcs.start({ startAgent: nothing });
    const api = ecs.api();
    const { tasks } = await api.runTask(ecs.runInput({ clientToken: 'one' }), PATIENT);
    const again = ecs.runInput({ clientToken: 'one', tags: [{ key: 'a', value: 'b' }] });

    expect(await api.runTask(again, PATIENT)).toEqual({
      tasks: [],
      failures: [],
      existing: [must(tasks[0]?.taskArn)],
    });
    expect(ecs.emulator.tasks).toHaveLength(1);
  });
});

describe('a call that AWS does not allow', () => {
  it.each(['AccessDeniedException', 'ExpiredTokenException', 'UnrecognizedClientException'])(
    'is not repeated, and says to check the role: %s',
    async (code) => {
      await using ecs = await StubEcs.start({ startAgent: nothing });
      ecs.emulator.faults.add({ operation: 'ListTasks', kind: 'error', code, times: Infinity });

      await expect(ecs.api().liveTasks()).rejects.toMatchObject({
        code: 'BACKEND_UNAVAILABLE',
        detail: expect.stringMatching(new RegExp(`ListTasks: check its role and credentials.*${code}`)),
      });
      expect(ecs.emulator.calls.count('ListTasks')).toBe(1);
    },
  );

  it('for want of the cluster says to check its name', async () => {
    await using ecs = await StubEcs.start({ startAgent: nothing });

    await expect(ecs.api({ cluster: 'nowhere' }).ping()).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      detail: expect.stringContaining('check ECS_CLUSTER'),
    });
    await expect(ecs.api({ cluster: 'nowhere' }).runTask(ecs.runInput(), PATIENT)).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
    });
  });

  it('for its parameters is told as a failure to create', async () => {
    await using ecs = await StubEcs.start({ startAgent: nothing });
    const input = ecs.runInput({
      networkConfiguration: { awsvpcConfiguration: { subnets: ['subnet-00000000000000000'] } },
    });

    await expect(ecs.api().runTask(input, PATIENT)).rejects.toMatchObject({
      code: 'CONTAINER_CREATE_FAILED',
      detail: expect.stringContaining('subnet-00000000000000000'),
    });
    expect(ecs.emulator.calls.count('RunTask')).toBe(1);
  });
});

describe('a look at a task definition', () => {
  it('tells whether it is there, or that it may not be asked', async () => {
    await using ecs = await StubEcs.start({ startAgent: nothing });
    const api = ecs.api();

    expect(await api.definitions.has('workspace-agent')).toBe(true);
    expect(await api.definitions.has('workspace-agent:1')).toBe(true);
    expect(await api.definitions.has('workspace-agent:2')).toBe(false);
    expect(await api.definitions.has('another')).toBe(false);
    const code = 'AccessDeniedException';
    ecs.emulator.faults.add({ operation: 'DescribeTaskDefinition', kind: 'error', code });
    expect(await api.definitions.has('workspace-agent')).toBeUndefined();
  });
});

describe('stopping a task', () => {
  it('that is not known is fine', async () => {
    await using ecs = await StubEcs.start({ startAgent: nothing });

    await ecs.api().stopTask(UNKNOWN_TASK, 'test');
    expect(ecs.emulator.calls.of('StopTask')).toMatchObject([{ status: 400 }]);
  });

  it('that may not be stopped is not fine', async () => {
    await using ecs = await StubEcs.start({ startAgent: nothing });
    const fault = { operation: 'StopTask', kind: 'error', message: 'no' } as const;
    for (const code of ['AccessDeniedException', 'InvalidParameterException']) {
      ecs.emulator.faults.add({ ...fault, code });
      await expect(ecs.api().stopTask(UNKNOWN_TASK, 'test')).rejects.toThrow(code);
    }
  });
});

describe('the list of live tasks', () => {
  it('comes in pages, each described in one call', async () => {
    await using ecs = await StubEcs.start({ startAgent: nothing, rates: {} });
    await ecs.runMany(250);
    ecs.emulator.calls.clear();

    const tasks = await ecs.api().liveTasks();
    expect(new Set(tasks.map(({ taskArn }) => taskArn)).size).toBe(250);
    expect(ecs.emulator.calls.counts()).toEqual({ ListTasks: 3, DescribeTasks: 3 });
  });

  it('of one name has the tasks of that name alone, with their tags', async () => {
    await using ecs = await StubEcs.start({ startAgent: nothing });
    const api = ecs.api();
    const tags = [{ key: 'a', value: 'b' }];
    for (const startedBy of ['berth/one', 'berth/two']) {
      await api.runTask(ecs.runInput({ startedBy, tags }), PATIENT);
    }

    expect(await api.liveTasks({ startedBy: 'berth/two' })).toMatchObject([{ startedBy: 'berth/two', tags }]);
    expect(await api.liveTasks({ startedBy: 'berth/none' })).toEqual([]);
  });
});

describe('the last lines of a log', () => {
  it('are the last ones, in order, and none where there is no log yet', async () => {
    await using ecs = await StubEcs.start({
      startAgent: ({ log }) => {
        for (let n = 1; n <= 5; n += 1) log(`line ${n}`);
        return undefined;
      },
    });
    const api = ecs.api();
    const { tasks } = await api.runTask(ecs.runInput(), PATIENT);
    const stream = `ecs/workspace-agent/${tasks[0]?.taskArn?.split('/').at(-1)}`;
    await vi.waitFor(() => expect(ecs.emulator.tasks[0]?.status).toBe('RUNNING'));

    expect(await api.lastLines(LOG_GROUP, stream, 2)).toEqual(['line 4', 'line 5']);
    expect(await api.lastLines(LOG_GROUP, stream, 100)).toHaveLength(5);
    expect(await api.lastLines(LOG_GROUP, 'ecs/workspace-agent/none', 2)).toEqual([]);
    expect(await api.lastLines('/no/such/group', stream, 2)).toEqual([]);
    const code = 'AccessDeniedException';
    ecs.emulator.faults.add({ operation: 'GetLogEvents', kind: 'error', code });
    await expect(api.lastLines(LOG_GROUP, stream, 2)).rejects.toThrow(/GetLogEvents.*check its role/);
  });
});
