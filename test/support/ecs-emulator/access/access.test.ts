import { GetLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import {
  DescribeTasksCommand,
  ECSClient,
  ListTasksCommand,
  RunTaskCommand,
  StopTaskCommand,
  TagResourceCommand,
} from '@aws-sdk/client-ecs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runtimePolicy } from '../../../../infra/ecs/policies.ts';
import { policy, type Statement } from '../../../../infra/ecs/policy-document.ts';
import { ArrangedEmulator, CLUSTER, refusal } from '../arranged-emulator.ts';

const ARN = 'arn:aws:ecs:us-east-1:123456789012';
const EXECUTION = 'arn:aws:iam::123456789012:role/execution';
const ROLE = 'arn:aws:sts::123456789012:assumed-role/runtime/1';
const MAY = runtimePolicy({
  cluster: `${ARN}:cluster/${CLUSTER}`,
  taskFamily: `${ARN}:task-definition/small`,
  executionRole: EXECUTION,
  logGroup: 'arn:aws:logs:us-east-1:123456789012:log-group:/ecs/workspace-agent',
  bucket: 'arn:aws:s3:::files',
  prefix: 'berth',
  bedrockRole: undefined,
});

describe('callers of the emulator', () => {
  let arranged: ArrangedEmulator;
  let role: ECSClient;
  let statements: Statement[];
  const allowed: string[] = [];

  beforeAll(async () => {
    arranged = await ArrangedEmulator.start({
      clusters: [CLUSTER, 'other'],
      access: {
        callerOf: (key) => (key === 'role' ? { arn: ROLE, policies: [policy(...statements)] } : undefined),
        onAllowed: (action) => allowed.push(action),
      },
    });
    await arranged.register({ executionRoleArn: EXECUTION });
    await arranged.register({ family: 'foreign' });
    await arranged.register({ family: 'other-role', executionRoleArn: `${EXECUTION}-of-others` });
    role = new ECSClient({
      endpoint: arranged.emulator.url,
      region: arranged.emulator.region,
      credentials: { accessKeyId: 'role', secretAccessKey: 'not-checked' },
      maxAttempts: 1,
    });
  });
  afterEach(() => allowed.splice(0));
  afterAll(async () => {
    role.destroy();
    await arranged[Symbol.asyncDispose]();
  });

  const run = (changes = {}) =>
    role.send(new RunTaskCommand(arranged.runInput({ tags: [{ key: 'a', value: 'b' }], ...changes })));

  it('may what their policies say, and it is told which actions that were', async () => {
    statements = MAY.Statement;
    const { tasks } = await run();
    const task = tasks?.[0]?.taskArn ?? '';
    await role.send(new DescribeTasksCommand({ cluster: CLUSTER, tasks: [task] }));
    await role.send(new ListTasksCommand({ cluster: CLUSTER }));
    await role.send(new StopTaskCommand({ cluster: CLUSTER, task: task.split('/').at(-1) }));
    expect(allowed).toEqual([
      'ecs:RunTask',
      'iam:PassRole',
      'ecs:TagResource',
      'ecs:DescribeTasks',
      'ecs:ListTasks',
      'ecs:StopTask',
    ]);
  });

  it('are refused in the words of AWS, and nothing is done', async () => {
    statements = [];
    const before = arranged.emulator.tasks.length;
    expect(await refusal(run())).toMatchObject({
      name: 'AccessDeniedException',
      message: `User: ${ROLE} is not authorized to perform: ecs:RunTask on resource: ${ARN}:task-definition/small:1 because no identity-based policy allows the ecs:RunTask action`,
    });
    expect(arranged.emulator.tasks).toHaveLength(before);
  });

  it.each<[string, object, string]>([
    ['another cluster', { cluster: 'other' }, 'ecs:RunTask'],
    ['another task definition', { taskDefinition: 'foreign' }, 'ecs:RunTask'],
    ['a role that may not be passed', { taskDefinition: 'other-role' }, 'iam:PassRole'],
  ])('may not run a task with %s', async (_, changes, action) => {
    statements = MAY.Statement.map((each) =>
      action === 'iam:PassRole' && each.Action === 'ecs:RunTask'
        ? { ...each, Resource: `${ARN}:task-definition/*` }
        : each,
    );
    const { name, message } = await refusal(run(changes));
    expect([name, /perform: (\S+)/.exec(message)?.[1]]).toEqual(['AccessDeniedException', action]);
  });

  it('tag a task only as they run it, and are refused what a statement denies', async () => {
    statements = [...MAY.Statement, { Effect: 'Deny', Action: 'ecs:List*', Resource: '*' }];
    const { tasks } = await run();
    const tag = new TagResourceCommand({
      resourceArn: tasks?.[0]?.taskArn,
      tags: [{ key: 'c', value: 'd' }],
    });
    expect((await refusal(role.send(tag))).name).toBe('AccessDeniedException');
    const list = role.send(new ListTasksCommand({ cluster: CLUSTER }));
    expect((await refusal(list)).message).toContain('explicit deny');
  });

  it('may everything where nobody says what they may', async () => {
    statements = [];
    const logGroupName = '/ecs/workspace-agent';
    const read = new GetLogEventsCommand({ logGroupName, logStreamName: 'none' });
    expect((await refusal(arranged.logs.send(read))).name).toBe('ResourceNotFoundException');
    await arranged.run({ cluster: 'other', taskDefinition: 'foreign' });
    expect(allowed).toEqual([]);
  });
});
