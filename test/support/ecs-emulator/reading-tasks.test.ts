import {
  DescribeTasksCommand,
  type DescribeTasksCommandInput,
  ListTasksCommand,
  type ListTasksCommandInput,
} from '@aws-sdk/client-ecs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { must } from '../must.ts';
import { ArrangedEmulator, CLUSTER, refusal } from './arranged-emulator.ts';

const HOUR_MS = 3_600_000;
const UNKNOWN = 'f'.repeat(32);

let arranged: ArrangedEmulator;
beforeEach(async () => {
  arranged = await ArrangedEmulator.start({ rates: {} });
  await arranged.register();
});
afterEach(() => arranged[Symbol.asyncDispose]());

const describeTasks = (input: Partial<DescribeTasksCommandInput>) =>
  arranged.ecs.send(new DescribeTasksCommand({ cluster: CLUSTER, tasks: [], ...input }));
const list = async (input: Partial<ListTasksCommandInput> = {}) =>
  arranged.ecs.send(new ListTasksCommand({ cluster: CLUSTER, ...input }));

describe('DescribeTasks', () => {
  // API_DescribeTasks, tasks: "A list of up to 100 task IDs or full ARN entries."
  it('takes 1 to 100 tasks', async () => {
    const ids = Array.from({ length: 101 }, (_, n) => n.toString(16).padStart(32, '0'));
    expect((await describeTasks({ tasks: ids.slice(1) })).failures).toHaveLength(100);
    expect(await refusal(describeTasks({ tasks: ids }))).toMatchObject({ name: 'InvalidParameterException' });
    expect((await refusal(describeTasks({ tasks: [] }))).message).toBe('Tasks cannot be empty.');
  });

  // api_failures_messages: DescribeTasks, MISSING.
  it('answers 200 for one that is not there, with a failure MISSING', async () => {
    const arn = await arranged.run();
    const { tasks, failures } = await describeTasks({ tasks: [must(arn.split('/').at(-1)), UNKNOWN] });
    expect(tasks).toMatchObject([{ taskArn: arn }]);
    expect(failures).toEqual([{ arn: arn.replace(/[^/]+$/, UNKNOWN), reason: 'MISSING' }]);
  });

  it('refuses what is no id, and the ARN of another cluster', async () => {
    expect((await refusal(describeTasks({ tasks: ['short'] }))).name).toBe('InvalidParameterException');
    const elsewhere = (await arranged.run()).replace(`task/${CLUSTER}/`, 'task/other/');
    expect((await refusal(describeTasks({ tasks: [elsewhere] }))).message).toBe(
      `Identifier is for cluster other. Your cluster is ${CLUSTER}`,
    );
  });

  // API_DescribeTasks, include: "If this field is omitted, tags aren't included in the response."
  it('tells tags only where they are asked for', async () => {
    const arn = await arranged.run({ tags: [{ key: 'a', value: 'b' }] });
    expect((await describeTasks({ tasks: [arn] })).tasks?.[0]?.tags).toEqual([]);
    expect((await describeTasks({ tasks: [arn], include: ['TAGS'] })).tasks?.[0]?.tags).toHaveLength(1);
  });

  // "Task lifecycle": stopped tasks are shown for about an hour.
  it('tells of a stopped task for an hour', async () => {
    const arn = await arranged.run();
    arranged.emulator.stopFromOutside(arn);
    await arranged.reached(arn, 'STOPPED');
    arranged.emulator.clock.advance(HOUR_MS - 10_000);
    expect((await describeTasks({ tasks: [arn] })).tasks).toMatchObject([{ lastStatus: 'STOPPED' }]);
    expect((await list({ desiredStatus: 'STOPPED' })).taskArns).toEqual([arn]);
    arranged.emulator.clock.advance(20_000);
    expect((await describeTasks({ tasks: [arn] })).failures).toEqual([{ arn, reason: 'MISSING' }]);
    expect((await list({ desiredStatus: 'STOPPED' })).taskArns).toEqual([]);
  });
});

describe('ListTasks', () => {
  // API_ListTasks, desiredStatus: "The default status filter is RUNNING"; PENDING "doesn't return any results".
  it('lists what should run, also before it does; STOPPED what should not; PENDING nothing', async () => {
    arranged.emulator.withholdAddress();
    const starting = await arranged.run();
    const stopping = await arranged.run();
    arranged.emulator.stopFromOutside(stopping);
    expect((await list()).taskArns).toEqual([starting]);
    expect((await list({ desiredStatus: 'STOPPED' })).taskArns).toEqual([stopping]);
    expect((await list({ desiredStatus: 'PENDING' })).taskArns).toEqual([]);
  });

  // API_ListTasks, maxResults: "between 1 and 100"; "returns up to 100 results and a nextToken value if applicable".
  it('lists pages of at most 100', async () => {
    const all = [];
    for (let n = 0; n < 21; n += 1) all.push(arranged.run({ count: 10 }));
    await Promise.all(all);
    const pages: string[][] = [];
    let nextToken: string | undefined;
    do {
      const page = await list(nextToken === undefined ? {} : { nextToken });
      pages.push(must(page.taskArns));
      nextToken = page.nextToken;
    } while (nextToken !== undefined);
    expect(pages.map(({ length }) => length)).toEqual([100, 100, 10]);
    expect(new Set(pages.flat()).size).toBe(210);
    expect((await list({ maxResults: 7 })).taskArns).toHaveLength(7);
    for (const maxResults of [0, 101]) {
      expect((await refusal(list({ maxResults }))).name).toBe('InvalidParameterException');
    }
    expect((await refusal(list({ nextToken: 'made-up' }))).message).toBe('Invalid token.');
  });

  // API_ListTasks, startedBy: "it must be the only filter that you use."
  it('filters by startedBy, and then by nothing else', async () => {
    const mine = await arranged.run({ startedBy: 'berth/ws-1' });
    await arranged.run({ startedBy: 'berth/ws-2' });
    expect((await list({ startedBy: 'berth/ws-1' })).taskArns).toEqual([mine]);
    for (const other of [
      { family: 'small' },
      { launchType: 'FARGATE' },
      { desiredStatus: 'RUNNING' },
    ] as const) {
      expect(await refusal(list({ startedBy: 'berth/ws-1', ...other }))).toMatchObject({
        name: 'InvalidParameterException',
        message: 'cannot specify startedBy with other arguments',
      });
    }
  });

  it('filters by family and launch type', async () => {
    await arranged.register({ family: 'other' });
    await arranged.run();
    const other = await arranged.run({ taskDefinition: 'other' });
    expect((await list({ family: 'other' })).taskArns).toEqual([other]);
    expect((await list({ launchType: 'EC2' })).taskArns).toEqual([]);
  });

  it('leaves a task out that is hidden for a while; its description does not', async () => {
    const arn = await arranged.run();
    arranged.emulator.hideFromLists(arn, 30_000);
    expect((await list()).taskArns).toEqual([]);
    expect((await describeTasks({ tasks: [arn] })).tasks).toHaveLength(1);
    arranged.emulator.clock.advance(30_001);
    expect((await list()).taskArns).toEqual([arn]);
  });
});

// API_RunTask: "The Amazon ECS API follows an eventual consistency model."
describe('with lag', () => {
  it('descriptions and lists know nothing of a new task for a while', async () => {
    arranged.emulator.setLag({ describeMs: 5_000, listMs: 30_000 });
    const arn = await arranged.run();
    expect((await describeTasks({ tasks: [arn] })).failures).toEqual([{ arn, reason: 'MISSING' }]);
    arranged.emulator.clock.advance(5_001);
    expect((await describeTasks({ tasks: [arn] })).tasks).toHaveLength(1);
    expect((await list()).taskArns).toEqual([]);
    arranged.emulator.clock.advance(25_000);
    expect((await list()).taskArns).toEqual([arn]);
  });

  it('descriptions and lists tell of a task that has stopped as if it ran', async () => {
    const arn = await arranged.run();
    await arranged.reached(arn, 'RUNNING');
    arranged.emulator.clock.advance(10_000);
    arranged.emulator.setLag({ describeMs: 5_000, listMs: 5_000 });
    arranged.emulator.stopFromOutside(arn);
    expect((await describeTasks({ tasks: [arn] })).tasks).toMatchObject([{ lastStatus: 'RUNNING' }]);
    expect((await list()).taskArns).toEqual([arn]);
    await arranged.reached(arn, 'STOPPED');
    arranged.emulator.clock.advance(5_001);
    expect((await describeTasks({ tasks: [arn] })).tasks).toMatchObject([{ lastStatus: 'STOPPED' }]);
    expect((await list()).taskArns).toEqual([]);
  });
});
