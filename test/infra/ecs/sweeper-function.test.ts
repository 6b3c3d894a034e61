import { ECSClient, ListTaskDefinitionsCommand, StopTaskCommand } from '@aws-sdk/client-ecs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { handler, type SweepOrder, sweep } from '../../../infra/ecs/sweeper-function/index.mjs';
import { ArrangedEmulator, CLUSTER } from '../../support/ecs-emulator/arranged-emulator.ts';
import { type StubContainer, stubBacking } from '../../support/ecs-emulator/stub/stub-backing.ts';

const FAMILY = 'agents-runtime';
const CONVERSATIONS = 'agents-workspace-agent';
const RUNTIME = { family: FAMILY, containerDefinitions: [{ name: 'runtime', image: 'runtime' }] };
const PATIENCE = { pollMs: 50, giveUpMs: 20_000 };

describe("the sweeper's function", () => {
  let arranged: ArrangedEmulator;
  let order: SweepOrder;
  /** A task that lives. */
  let conversation: string;
  let started: StubContainer[];
  /** What the program of the next tasks ends with; undefined: it goes on. */
  let exitCode: number | undefined;

  beforeEach(async () => {
    started = [];
    exitCode = 0;
    const startAgent = (container: StubContainer) => {
      if (container.container !== 'runtime') return undefined;
      started.push(container);
      if (exitCode !== undefined) setImmediate(container.exit, exitCode);
      return undefined;
    };
    arranged = await ArrangedEmulator.start({ backing: stubBacking({ startAgent }) });
    order = {
      cluster: CLUSTER,
      taskDefinition: await arranged.register(RUNTIME),
      family: FAMILY,
      container: 'runtime',
      command: ['node', '/opt/berth/runtime.mjs', 'destroy-all', '--yes'],
      subnets: [...arranged.emulator.subnets],
      securityGroups: [...arranged.emulator.securityGroups],
      logGroup: '/ecs/agents/runtime',
      families: [FAMILY, CONVERSATIONS],
      workspaceFamilies: 'agents-workspace_agents_',
      purge: false,
    };
    await arranged.register({ family: CONVERSATIONS });
    const startedBy = 'berth/ws-0123456789ab';
    conversation = await arranged.run({ taskDefinition: CONVERSATIONS, startedBy });
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await arranged[Symbol.asyncDispose]();
  });

  const active = async () =>
    (await arranged.ecs.send(new ListTaskDefinitionsCommand({}))).taskDefinitionArns ?? [];
  const calls = () => arranged.emulator.calls;
  /** After the conversation's. */
  const runs = () => calls().of('RunTask').slice(1);
  const sweepers = () => arranged.emulator.tasks.filter(({ arn }) => arn !== conversation);
  /** As Lambda enters it. */
  const enter = (action: 'create' | 'update' | 'delete') => {
    for (const [name, value] of Object.entries(arranged.emulator.env)) vi.stubEnv(name, value);
    return handler({ ...order, tf: { action, prev_input: null } });
  };

  it('does nothing when its resource is made or changed', async () => {
    expect(await enter('create')).toEqual({ swept: false });
    expect(await enter('update')).toEqual({ swept: false });
    expect(runs()).toEqual([]);
    expect(calls().count('ListTasks')).toBe(0);
  });

  it("runs the runtime's task once, with destroy-all, where the runtime was, and waits for its end", async () => {
    expect(await enter('delete')).toEqual({ swept: true });
    expect(runs()).toMatchObject([
      {
        input: {
          taskDefinition: order.taskDefinition,
          launchType: 'FARGATE',
          clientToken: expect.any(String),
          networkConfiguration: {
            awsvpcConfiguration: {
              subnets: order.subnets,
              securityGroups: order.securityGroups,
              assignPublicIp: 'DISABLED',
            },
          },
          overrides: { containerOverrides: [{ name: 'runtime', command: order.command }] },
        },
      },
    ]);
    expect(sweepers().map(({ status }) => status)).toEqual(['STOPPED']);
  });

  it('leaves no revision that tasks can be made of, of the families that it is told, once they are ended', async () => {
    await arranged.register({ family: FAMILY });
    const others = await arranged.register({ family: `${FAMILY}-of-another` });
    exitCode = 1;
    await expect(enter('delete')).rejects.toThrow('Conversations are left');
    expect(await active()).toHaveLength(4);
    exitCode = 0;
    await enter('delete');
    expect(await active()).toEqual([others]);
  });

  it('runs nothing where no conversation lives, so that a runtime that cannot start can be destroyed', async () => {
    exitCode = 1;
    await expect(sweep(arranged.ecs, order, PATIENCE)).rejects.toThrow(
      'to give up their files, stop their tasks',
    );
    await arranged.ecs.send(new StopTaskCommand({ cluster: CLUSTER, task: conversation }));
    await sweep(arranged.ecs, order, PATIENCE);
    expect(runs()).toHaveLength(1);
  });

  it('ends workspaces, whose tasks are of families of their own', async () => {
    await arranged.ecs.send(new StopTaskCommand({ cluster: CLUSTER, task: conversation }));
    const family = 'agents-workspace_agents_ws-mine_app';
    await arranged.register({ family });
    await arranged.run({ taskDefinition: family, startedBy: 'berth/ws-mine' });
    await sweep(arranged.ecs, order, PATIENCE);
    expect(runs()).toHaveLength(2);
    expect(runs()[1]).toMatchObject({ input: { startedBy: 'berth-sweeper' } });
  });

  it('runs for homes that are to go where no task lives, and else leaves them; what tasks were made of goes', async () => {
    await arranged.ecs.send(new StopTaskCommand({ cluster: CLUSTER, task: conversation }));
    const sleeping = ['ws-mine_app', 'ws-mine-home_files'].map((each) => `agents-workspace_agents_${each}`);
    for (const family of sleeping) await arranged.register({ family });
    const others = await arranged.register({ family: 'agents-workspace_agents-2_ws-mine_app' });
    await enter('delete');
    expect(runs()).toEqual([]);
    expect(await active()).toEqual([others]);
    for (const family of sleeping) await arranged.register({ family });
    order.taskDefinition = await arranged.register(RUNTIME);
    order.purge = true;
    exitCode = 1;
    await expect(enter('delete')).rejects.toThrow('are active: agents-workspace_agents_*');
    exitCode = 0;
    await enter('delete');
    expect(runs()).toHaveLength(2);
    expect(await active()).toEqual([others]);
    order.taskDefinition = await arranged.register(RUNTIME);
    await enter('delete');
    expect(runs()).toHaveLength(2); // there is no home any more
  });

  it('fails with exit code, log and what to do when conversations are left, and tries again the next time', async () => {
    exitCode = 1;
    const words = /ended with exit code 1 .*\/ecs\/agents\/runtime.*Run pulumi destroy again/;
    await expect(sweep(arranged.ecs, order, PATIENCE)).rejects.toThrow(words);
    exitCode = 0;
    await sweep(arranged.ecs, order, PATIENCE);
    expect(runs()).toHaveLength(2);
  });

  it('fails when its task is stopped before the program has ended', async () => {
    exitCode = undefined;
    const swept = sweep(arranged.ecs, order, PATIENCE);
    const begun = () => started.length > 0 && sweepers();
    const [task] = await vi.waitUntil(begun, { timeout: 10_000 });
    arranged.emulator.stopFromOutside(task?.arn ?? '', { reason: 'a host is retired' });
    await expect(swept).rejects.toThrow(/Conversations are left: .*(137|143|before its program did)/);
  });

  it('ends nothing while the runtime is up', async () => {
    exitCode = undefined;
    await arranged.run({ taskDefinition: FAMILY });
    await expect(sweep(arranged.ecs, order, PATIENCE)).rejects.toThrow('The runtime is still up');
    expect(runs()).toHaveLength(1); // that one
  });

  it('waits for what an earlier call began, instead of running a second', async () => {
    exitCode = undefined;
    await expect(sweep(arranged.ecs, order, { pollMs: 5, giveUpMs: 20 })).rejects.toThrow(
      'still saves and ends conversations: run pulumi destroy again',
    );
    const before = calls().count('DescribeTasks');
    const again = sweep(arranged.ecs, order, PATIENCE);
    const waits = () => calls().count('DescribeTasks') > before + 1 && started.length > 0;
    await vi.waitUntil(waits, { timeout: 10_000 });
    started[0]?.exit(0);
    await again;
    expect(runs()).toHaveLength(1);
  });

  it('tells why no task could be started', async () => {
    const fault = { operation: 'RunTask', kind: 'failures', reason: 'RESOURCE:FARGATE' } as const;
    arranged.emulator.faults.add(fault);
    await expect(sweep(arranged.ecs, order, PATIENCE)).rejects.toThrow(
      'No task could be started to end conversations (RESOURCE:FARGATE)',
    );
  });

  it('is not put off by conversations, which are of another family', async () => {
    await arranged.reached(conversation, 'RUNNING');
    await sweep(arranged.ecs, order, PATIENCE);
    expect((await arranged.describe(conversation)).lastStatus).toBe('RUNNING');
  });

  it('runs one task where the answer to RunTask is lost', async () => {
    arranged.emulator.faults.add({ operation: 'RunTask', kind: 'dropAfter' });
    for (const [name, value] of Object.entries(arranged.emulator.env)) vi.stubEnv(name, value);
    await sweep(new ECSClient({}), order, PATIENCE);
    expect(runs()).toHaveLength(2);
    expect(sweepers()).toHaveLength(1);
  });
});
