import { once } from 'node:events';
import { createServer } from 'node:net';
import { DeregisterTaskDefinitionCommand, RegisterTaskDefinitionCommand } from '@aws-sdk/client-ecs';
import { describe, expect, it } from 'vitest';
import type { ContainerSpec } from '../../../../runtime/containers/container-backend.ts';
import { newWorkerId, parseFunctionName } from '../../../../runtime/contracts/ids.ts';
import { LABEL } from '../../../../runtime/contracts/labels.ts';
import type { StubContainer } from '../../../support/ecs-emulator/stub/stub-backing.ts';
import { workspaceTaskDefinition } from '../../../support/ecs-emulator/workspace-task-definition.ts';
import { must } from '../../../support/must.ts';
import { healthyContainer, INSTALLATION, StubEcs } from './stub-ecs.ts';

const PORT = 7070;
const NAME = must(parseFunctionName('resize'));
const ARN = 'arn:aws:ecs:us-east-1:123456789012:task-definition/resize:1';
const TASKS = [{ name: 'resize', taskDefinition: ARN, port: PORT }];

const pairs = (variables: Record<string, string>) =>
  expect.arrayContaining(Object.entries(variables).map(([name, value]) => ({ name, value })));

/** A program that listens, or our proxy. */
async function container(given: StubContainer): Promise<AsyncDisposable> {
  if (given.container !== 'resize') return healthyContainer(given);
  const server = createServer((socket) => socket.end());
  server.listen(PORT, given.address);
  await once(server, 'listening');
  return { [Symbol.asyncDispose]: async () => void server.close() };
}

/** The operator's own task definition; what needs no word of its own is as of conversations. */
async function register(ecs: StubEcs, containers: string[]): Promise<void> {
  const { containerDefinitions = [], ...task } = workspaceTaskDefinition({
    agentImage: 'resize',
    sidecarImage: 'sidecar',
    family: 'resize',
    logGroup: '/functions',
  });
  const [program, proxy] = containerDefinitions;
  const { healthCheck: _, ...base } = must(program);
  const known = {
    notes: { ...base, name: 'notes', essential: false },
    resize: { ...base, name: 'resize' },
    'proxy-sidecar': must(proxy),
  };
  await ecs.client.send(
    new RegisterTaskDefinitionCommand({
      ...task,
      containerDefinitions: containers.map((name) => known[name as keyof typeof known]), // the test's own names
    }),
  );
  ecs.emulator.calls.clear();
}

function workerSpec(ecs: StubEcs, change: Partial<ContainerSpec> = {}): ContainerSpec {
  return ecs.spec({
    id: newWorkerId(NAME),
    role: 'function',
    image: 'resize',
    env: { SIZE: '12' },
    proxyEnv: { PROXY_ADMIN_KEY: 'key-of-the-proxy' },
    labels: { [LABEL.function]: 'resize', [LABEL.tenant]: 't1' },
    app: { port: PORT, readOnlyRoot: true },
    ...change,
  });
}

describe('a worker on ECS', () => {
  it('is a task of the definition that the operator named, with its variables for the first essential container', async () => {
    await using ecs = await StubEcs.start({ startAgent: container, logGroups: ['/functions'] });
    await register(ecs, ['notes', 'resize']);
    const backend = ecs.backend({ functionTasks: TASKS });
    const spec = workerSpec(ecs);
    await backend.create(spec);

    const [call] = ecs.emulator.calls.of('RunTask');
    expect(call?.input).toMatchObject({
      taskDefinition: ARN,
      startedBy: `berth/${spec.id}`,
      networkConfiguration: { awsvpcConfiguration: { assignPublicIp: 'DISABLED' } },
      tags: expect.arrayContaining([
        { key: LABEL.installation, value: INSTALLATION },
        { key: LABEL.role, value: 'function' },
        { key: LABEL.function, value: 'resize' },
      ]),
    });
    expect(call?.input).toMatchObject({
      overrides: {
        containerOverrides: [{ name: 'resize', environment: pairs({ PORT: String(PORT), SIZE: '12' }) }],
      },
    });
    expect(JSON.stringify(call?.input)).not.toContain('key-of-the-proxy');
    expect(await backend.endpoint(spec.id, PORT)).toEqual({
      kind: 'address',
      host: expect.stringMatching(/^[\d.]+$/),
      port: PORT,
    });
    expect(await backend.list('function')).toMatchObject([
      { id: spec.id, role: 'function', state: 'running' },
    ]);
    for (const role of ['conversation', 'workspace'] as const) expect(await backend.list(role)).toEqual([]);
    await backend.destroy(spec.id);
    expect(await backend.inspect(spec.id)).toBeUndefined();
  });

  it('has its egress proxy where the definition has one, on a port that is not the function’s', async () => {
    await using ecs = await StubEcs.start({ startAgent: container, logGroups: ['/functions'] });
    await register(ecs, ['resize', 'proxy-sidecar']);
    const spec = workerSpec(ecs);
    await ecs.backend({ functionTasks: TASKS }).create(spec);

    const [call] = ecs.emulator.calls.of('RunTask');
    const proxy = 'http://127.0.0.1:3128';
    expect(call?.input).toMatchObject({
      overrides: {
        containerOverrides: [
          { name: 'resize', environment: pairs({ SIZE: '12', PORT: String(PORT), HTTPS_PROXY: proxy }) },
          {
            name: 'proxy-sidecar',
            environment: pairs({
              PROXY_ADMIN_KEY: 'key-of-the-proxy',
              CONTAINER_ID: spec.id,
              PROXY_LISTEN_PORT: '3128',
              ADMIN_PORT: '8081',
            }),
          },
        ],
      },
    });
  });

  it('is one task, whoever creates it and how often', async () => {
    await using ecs = await StubEcs.start({ startAgent: container, logGroups: ['/functions'] });
    await register(ecs, ['resize']);
    const spec = workerSpec(ecs);
    const [one, two] = [ecs.backend({ functionTasks: TASKS }), ecs.backend({ functionTasks: TASKS })];
    await Promise.all([one.create(spec), two.create(spec), one.create(spec)]);
    await two.create(spec);
    expect(
      ecs.emulator.tasks.filter(({ identity }) => identity.startedBy === `berth/${spec.id}`),
    ).toHaveLength(1);
    // What a revision looks like is asked once.
    expect(ecs.emulator.calls.count('DescribeTaskDefinition')).toBe(2);
  });

  it('is refused where the operator named no such definition, another port, or one that is not there', async () => {
    await using ecs = await StubEcs.start({ startAgent: container, logGroups: ['/functions'] });
    await register(ecs, ['resize']);
    const backend = ecs.backend({ functionTasks: TASKS });
    await expect(backend.create(workerSpec(ecs, { image: ARN }))).rejects.toMatchObject({
      code: 'IMAGE_PULL_FAILED',
      detail: `no function may run ${ARN}: ECS_FUNCTION_TASK_DEFINITIONS names only resize`,
    });
    await expect(ecs.backend().create(workerSpec(ecs))).rejects.toMatchObject({
      code: 'IMAGE_PULL_FAILED',
      detail: expect.stringContaining('names none'),
    });
    const app = { port: 80, readOnlyRoot: true };
    await expect(backend.create(workerSpec(ecs, { app }))).rejects.toMatchObject({
      code: 'CONTAINER_CREATE_FAILED',
      detail: expect.stringContaining('resize listens on 7070 and not on 80'),
    });
    expect(await backend.hasImage('resize')).toBe(true);
    await ecs.client.send(new DeregisterTaskDefinitionCommand({ taskDefinition: ARN }));
    expect(await backend.hasImage('resize')).toBe(false);
    await expect(backend.create(workerSpec(ecs))).rejects.toMatchObject({
      code: 'IMAGE_PULL_FAILED',
      detail: expect.stringContaining('ECS_FUNCTION_TASK_DEFINITIONS'),
    });
    expect(ecs.emulator.tasks).toHaveLength(0);
  });

  it('can be neither paused nor asked what it uses', async () => {
    await using ecs = await StubEcs.start();
    const backend = ecs.backend({ functionTasks: TASKS });
    for (const call of [backend.pause(), backend.resume(), backend.stats()])
      await expect(call).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
  });

  it('is over when nothing listens in time, or its program ends first', async () => {
    await using ecs = await StubEcs.start({
      startAgent: async () => ({ [Symbol.asyncDispose]: async () => {} }),
      logGroups: ['/functions'],
    });
    await register(ecs, ['resize']);
    const backend = ecs.backend({ functionTasks: TASKS, agentReadySeconds: 0.3 });
    await expect(backend.create(workerSpec(ecs))).rejects.toMatchObject({
      code: 'START_TIMEOUT',
      detail: expect.stringContaining('nothing listens on its port 7070'),
    });
  });
});
