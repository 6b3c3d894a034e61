import { afterEach, describe, expect, it, vi } from 'vitest';
import { LABEL } from '../../../../runtime/contracts/labels.ts';
import { CAPACITY_UNAVAILABLE } from '../../../support/ecs-emulator/api/faults.ts';
import { CLUSTER, FAMILY, healthyContainer, INSTALLATION, StubEcs } from './stub-ecs.ts';

afterEach(() => vi.restoreAllMocks());

const pairs = (variables: Record<string, string>) =>
  expect.arrayContaining(Object.entries(variables).map(([name, value]) => ({ name, value })));

describe('a container on ECS', () => {
  it('is one task, without a public address, found by its name and its tags', async () => {
    await using ecs = await StubEcs.start();
    const env = { AGENT_TOKEN: 'token-of-the-agent' };
    const proxyEnv = { PROXY_ADMIN_KEY: 'key-of-the-proxy' };
    const spec = ecs.spec({ env, proxyEnv, labels: { 'workspace.conversation_id': 'c1' } });
    await ecs.backend().create(spec);

    expect(ecs.emulator.calls.count('RunTask')).toBe(1);
    const [call] = ecs.emulator.calls.of('RunTask');
    expect(call?.input).toMatchObject({
      cluster: CLUSTER,
      taskDefinition: FAMILY,
      count: 1,
      clientToken: expect.stringMatching(/^[0-9a-f]{64}$/),
      startedBy: `berth/${spec.id}`,
      launchType: 'FARGATE',
      networkConfiguration: {
        awsvpcConfiguration: {
          subnets: ecs.emulator.subnets,
          securityGroups: ecs.emulator.securityGroups,
          assignPublicIp: 'DISABLED',
        },
      },
      overrides: {
        containerOverrides: [
          { name: 'workspace-agent', environment: pairs({ ...env, AGENT_HTTP_PORT: '9000' }) },
          {
            name: 'proxy-sidecar',
            environment: pairs({ ...proxyEnv, CONTAINER_ID: spec.id, ADMIN_PORT: '8081' }),
          },
        ],
      },
      tags: expect.arrayContaining([
        { key: LABEL.installation, value: INSTALLATION },
        { key: LABEL.role, value: 'conversation' },
        { key: LABEL.containerId, value: spec.id },
        { key: LABEL.version, value: '1.2.3' },
        { key: 'workspace.conversation_id', value: 'c1' },
      ]),
    });
    expect(call?.input).not.toHaveProperty('capacityProviderStrategy');
    expect(JSON.stringify(call?.input).match(/key-of-the-proxy/g)).toHaveLength(1);
  });

  it('runs on the capacity provider that is named instead of Fargate', async () => {
    await using ecs = await StubEcs.start();
    await ecs.backend({ capacityProvider: 'FARGATE_SPOT' }).create(ecs.spec());

    const [call] = ecs.emulator.calls.of('RunTask');
    expect(call?.input).toMatchObject({
      capacityProviderStrategy: [{ capacityProvider: 'FARGATE_SPOT', weight: 1 }],
    });
    expect(call?.input).not.toHaveProperty('launchType');
  });

  it('is there once agent and proxy both answer', async () => {
    const { promise: comesLate, resolve: come } = Promise.withResolvers<void>();
    await using ecs = await StubEcs.start({
      async startAgent(container) {
        if (container.container === 'workspace-agent') return healthyContainer(container);
        const late = comesLate.then(() => healthyContainer(container));
        return {
          async [Symbol.asyncDispose]() {
            come();
            await (await late)[Symbol.asyncDispose]();
          },
        };
      },
    });
    const spec = ecs.spec();
    let isThere = false;
    const creation = ecs.backend().create(spec);
    void creation.then(() => {
      isThere = true;
    });
    await vi.waitFor(async () => expect((await ecs.tasks.get(spec.id))?.address).toBeDefined());
    await vi.waitFor(() => expect(ecs.taskOf(spec.id).status).toBe('RUNNING'));
    const looks = ecs.emulator.calls.count('DescribeTasks');
    await vi.waitFor(() => expect(ecs.emulator.calls.count('DescribeTasks')).toBeGreaterThan(looks + 2));

    expect(isThere).toBe(false);
    come();
    await creation;
  });

  it('costs one RunTask each, however many are made, and one description a period for all', async () => {
    await using ecs = await StubEcs.start({ delays: { provisioning: [500, 1000] } });
    const backend = ecs.backend({ pollSeconds: 0.3 });
    const began = performance.now();
    await Promise.all(Array.from({ length: 30 }, () => backend.create(ecs.spec())));

    const periods = (performance.now() - began) / 300;
    expect(ecs.emulator.calls.count('RunTask')).toBe(30);
    expect(ecs.emulator.calls.count('DescribeTasks')).toBeLessThanOrEqual(Math.ceil(periods) + 1);
    expect(ecs.emulator.calls.count('ListTasks')).toBe(0);
  });

  it('waits for its turn where more would call RunTask at once than may', async () => {
    await using ecs = await StubEcs.start();
    const backend = ecs.backend({ runTaskConcurrency: 3 });
    ecs.emulator.faults.add({ operation: 'RunTask', kind: 'slow', ms: 100, times: Infinity });
    await Promise.all(Array.from({ length: 9 }, () => backend.create(ecs.spec())));

    const times = ecs.emulator.calls.of('RunTask').map(({ at }) => at);
    expect(times).toHaveLength(9);
    for (const [n, at] of times.slice(3).entries()) expect(at - (times[n] ?? 0)).toBeGreaterThan(90);
  });
});

describe('a task that ECS has no room for', () => {
  it.each(['RESOURCE:ENI', CAPACITY_UNAVAILABLE])('is asked for again: %s', async (reason) => {
    await using ecs = await StubEcs.start();
    vi.spyOn(Math, 'random').mockReturnValue(0.01);
    ecs.emulator.faults.add({ operation: 'RunTask', kind: 'failures', reason, times: 2 });
    const spec = ecs.spec();
    await ecs.backend().create(spec);

    expect(ecs.emulator.calls.count('RunTask')).toBe(3);
    expect(ecs.emulator.tasks).toHaveLength(1);
  });

  it.each(['RESOURCE:ENI', CAPACITY_UNAVAILABLE])('is given up after a while: %s', async (reason) => {
    await using ecs = await StubEcs.start();
    vi.spyOn(Math, 'random').mockReturnValue(0.01);
    ecs.emulator.faults.add({ operation: 'RunTask', kind: 'failures', reason, times: Infinity });

    await expect(ecs.backend().create(ecs.spec())).rejects.toMatchObject({
      code: 'CAPACITY_EXCEEDED',
      detail: expect.stringContaining(reason),
      fields: { retry_after: expect.any(Number) },
    });
    expect(ecs.emulator.calls.count('RunTask')).toBe(4);
    expect(ecs.emulator.tasks).toHaveLength(0);
  });

  it('is not asked for again where that is not why', async () => {
    await using ecs = await StubEcs.start();
    const reason = 'MISSING';
    ecs.emulator.faults.add({ operation: 'RunTask', kind: 'failures', reason, times: Infinity });

    await expect(ecs.backend().create(ecs.spec())).rejects.toMatchObject({
      code: 'CONTAINER_CREATE_FAILED',
      detail: expect.stringContaining(reason),
    });
    expect(ecs.emulator.calls.count('RunTask')).toBe(1);
  });
});

describe('a task definition that is not there', () => {
  it('is named, with the variable to mend', async () => {
    await using ecs = await StubEcs.start();
    const backend = ecs.backend();

    await expect(backend.create(ecs.spec({ image: 'no-such-family' }))).rejects.toMatchObject({
      code: 'IMAGE_PULL_FAILED',
      detail: expect.stringContaining('ECS_TASK_DEFINITION'),
    });
    expect(await backend.hasImage('no-such-family')).toBe(false);
    expect(await backend.hasImage(FAMILY)).toBe(true);
  });
});

describe('a task that does not get there in time', () => {
  it.each([false, true])('for want of an address is told to stop (it runs: %s)', async (runs) => {
    await using ecs = await StubEcs.start();
    ecs.emulator.withholdAddress({ runs });
    const spec = ecs.spec();

    await expect(ecs.backend({ addressSeconds: 0.3 }).create(spec)).rejects.toMatchObject({
      code: 'START_TIMEOUT',
      detail: expect.stringContaining('no address within 0.3 s'),
    });
    expect(ecs.taskOf(spec.id).stop).toMatchObject({ stopCode: 'UserInitiated' });
  });

  it('for want of an agent that answers is told to stop', async () => {
    await using ecs = await StubEcs.start({ startAgent: () => undefined });
    const spec = ecs.spec();

    await expect(ecs.backend({ agentReadySeconds: 0.3 }).create(spec)).rejects.toMatchObject({
      code: 'START_TIMEOUT',
      detail: expect.stringContaining('does not answer within 0.3 s'),
    });
    expect(ecs.taskOf(spec.id).stop).toMatchObject({ stopCode: 'UserInitiated' });
  });
});
