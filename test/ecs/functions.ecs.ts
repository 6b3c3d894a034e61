import { randomBytes } from 'node:crypto';
import { ECSClient, RegisterTaskDefinitionCommand } from '@aws-sdk/client-ecs';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import type { ContainerSpec } from '../../runtime/containers/container-backend.ts';
import type { EcsBackend } from '../../runtime/containers/ecs/ecs-backend.ts';
import { newWorkerId, parseFunctionName, type WorkerId } from '../../runtime/contracts/ids.ts';
import { LABEL } from '../../runtime/contracts/labels.ts';
import { TestApp } from '../contract/container-backend/apps/app-calls.ts';
import { functionsWork } from '../e2e/functions.e2e.ts';
import type { EcsEmulator } from '../support/ecs-emulator/ecs-emulator.ts';
import { FunctionCalls } from '../support/function-calls.ts';
import { must } from '../support/must.ts';
import { RuntimeProcess } from '../support/runtime-process.ts';
import { describeWith, functionNodeImage, proxyImage } from '../support/services/provided.ts';
import { CLUSTER, ecsBackend, ecsEnv, FAMILY, LOG_GROUP, liveTasks, startEcs } from './ecs-on-docker.ts';
import { renderedPolicy, runtimeAccess, TOOLS_KEY } from './runtime-access.ts';

const PORT = 8080;
const FUNCTIONS_LOG = '/functions';
const ROLE = 'arn:aws:iam::123456789012:role/functions-execution';
const ARN = 'arn:aws:ecs:us-east-1:123456789012:task-definition/hello:1';
const HELLO = 'export default (request) => ({ hello: request.name })';
const OURS = 'functions-ours';

const images = ['workspace-base-image', 'proxy-sidecar-image', 'function-node-image'] as const;

describeWith(['docker', ...images], 'workers on ECS', () => {
  let emulator: EcsEmulator;
  let backend: EcsBackend;
  const made: WorkerId[] = [];

  beforeAll(async () => {
    emulator = await startWithHello();
    backend = open();
  });

  afterEach(async () => {
    await Promise.all(made.splice(0).map((id) => backend.destroy(id)));
  });

  afterAll(async () => {
    await backend.close();
    await emulator[Symbol.asyncDispose]();
  });

  const open = (options: { agentReadySeconds?: number } = {}) =>
    ecsBackend(emulator, {
      installation: OURS,
      functionTasks: [{ name: 'hello', taskDefinition: ARN, port: PORT }],
      ...options,
    });

  function spec(env: Record<string, string> = { HANDLER_SOURCE: HELLO }) {
    const id = newWorkerId(must(parseFunctionName('hello')));
    made.push(id);
    const given: ContainerSpec = {
      id,
      role: 'function',
      image: 'hello',
      env,
      proxyEnv: { PROXY_ADMIN_KEY: 'a'.repeat(64) },
      labels: { [LABEL.function]: 'hello', [LABEL.tenant]: 't1' },
      limits: { cpus: 1, memoryBytes: 2 ** 29, pids: 128 },
      network: 'none',
      app: { port: PORT, readOnlyRoot: true },
    };
    return given;
  }

  it('are tasks of the operator’s definition, called at their address, and gone when they are destroyed', async () => {
    const given = spec();
    await Promise.all([backend.create(given), open().create(given)]);
    expect(liveTasks(emulator, given.id)).toHaveLength(1);
    const app = new TestApp(backend, given.id);
    expect(JSON.parse(await app.call('/', '{"name":"ecs"}'))).toEqual({ hello: 'ecs' });
    const view = await backend.inspect(given.id);
    expect(view).toMatchObject({ id: given.id, role: 'function', state: 'running' });
    expect(view?.labels).toMatchObject({ [LABEL.function]: 'hello', [LABEL.tenant]: 't1' });
    expect((await backend.list('function')).map(({ id }) => id)).toEqual([given.id]);
    for (const role of ['conversation', 'workspace'] as const) expect(await backend.list(role)).toEqual([]);
    expect(await backend.endpoint(given.id, 'proxy')).toMatchObject({ port: 8081 });
    await vi.waitFor(async () => expect(await backend.logs(given.id, { tail: 10 })).toContain('listens'), {
      timeout: 10_000,
    });
    await backend.destroy(given.id);
    expect(liveTasks(emulator, given.id)).toEqual([]);
    expect(await backend.inspect(given.id)).toBeUndefined();
  });

  it('are found again by an instance that never heard of them', async () => {
    const given = spec();
    await backend.create(given);
    const other = open();
    expect(JSON.parse(await new TestApp(other, given.id).call('/', '{"name":"again"}'))).toEqual({
      hello: 'again',
    });
    await other.close();
  });

  it('that end before they listen are no workers, and it is told what they said', async () => {
    await expect(backend.create(spec({ HANDLER_SOURCE: 'export default 1' }))).rejects.toMatchObject({
      code: 'CONTAINER_CREATE_FAILED',
      detail: expect.stringContaining('HANDLER_SOURCE has no function as its default export'),
    });
  });
});

describeWith(['docker', ...images], 'a function on ECS', () => {
  const installation = `e2e-${randomBytes(4).toString('hex')}`;
  let emulator: EcsEmulator;
  beforeAll(async () => {
    emulator = await startWithHello();
  });
  afterAll(() => emulator[Symbol.asyncDispose]());

  functionsWork(
    () => ({
      ...ecsEnv(emulator),
      BERTH_INSTALLATION: installation,
      ECS_FUNCTION_TASK_DEFINITIONS: `hello=${ARN}:${PORT}`,
    }),
    () => ({ task_definition: 'hello' }),
    { tellsUsage: false },
  );

  it('can not be where workers are to be paused, which no task can be', async () => {
    const env = { ...ecsEnv(emulator), BERTH_INSTALLATION: installation, ENABLE_CONTAINER_PAUSE: 'true' };
    await using runtime = await RuntimeProcess.start({ env });
    const answer = await new FunctionCalls(runtime, 'paused').put({ task_definition: 'hello' });
    expect(answer.status).toBe(501);
    expect(await answer.json()).toMatchObject({
      code: 'NOT_SUPPORTED',
      detail: expect.stringContaining('ENABLE_CONTAINER_PAUSE'),
    });
  });
});

/** With the rights that the platform gives where a stack names it. */
async function startWithHello(): Promise<EcsEmulator> {
  const functions = {
    taskDefinitions: [ARN],
    roles: [ROLE],
    logGroups: [`arn:aws:logs:us-east-1:123456789012:log-group:${FUNCTIONS_LOG}`],
  };
  const emulator = await startEcs({
    logGroups: [LOG_GROUP, FUNCTIONS_LOG],
    access: runtimeAccess(renderedPolicy(FAMILY, CLUSTER, LOG_GROUP, { functions })),
  });
  await registerHello(emulator);
  return emulator;
}

/** An operator's own: a program of a function, and our proxy. */
async function registerHello(emulator: EcsEmulator): Promise<void> {
  const client = new ECSClient({
    endpoint: emulator.url,
    region: emulator.region,
    credentials: { accessKeyId: TOOLS_KEY, secretAccessKey: 'not-checked' },
  });
  const logConfiguration = {
    logDriver: 'awslogs',
    options: {
      'awslogs-group': FUNCTIONS_LOG,
      'awslogs-region': emulator.region,
      'awslogs-stream-prefix': 'functions',
    },
  } as const;
  const linuxParameters = { capabilities: { drop: ['ALL'] }, initProcessEnabled: true };
  await client.send(
    new RegisterTaskDefinitionCommand({
      family: 'hello',
      networkMode: 'awsvpc',
      requiresCompatibilities: ['FARGATE'],
      cpu: '256',
      memory: '512',
      executionRoleArn: ROLE,
      containerDefinitions: [
        {
          name: 'worker',
          image: functionNodeImage(),
          readonlyRootFilesystem: true,
          linuxParameters: { ...linuxParameters, tmpfs: [{ containerPath: '/tmp', size: 64 }] },
          portMappings: [{ containerPort: PORT, protocol: 'tcp' }],
          stopTimeout: 30,
          logConfiguration,
        },
        {
          name: 'proxy-sidecar',
          image: proxyImage(),
          essential: true,
          user: '10002:10002',
          linuxParameters,
          stopTimeout: 30,
          logConfiguration,
        },
      ],
    }),
  );
  client.destroy();
}
