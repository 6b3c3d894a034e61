import { randomBytes } from 'node:crypto';
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
import { describeWith } from '../support/services/provided.ts';
import { ARN, ecsFunctionsEnv, PORT, startWithHello } from './ecs-functions.ts';
import { ecsBackend, ecsEnv, liveTasks } from './ecs-on-docker.ts';

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
      ...ecsFunctionsEnv(emulator),
      BERTH_INSTALLATION: installation,
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
