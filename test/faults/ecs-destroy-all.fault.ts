import { randomBytes } from 'node:crypto';
import { ECSClient, ListTaskDefinitionFamiliesCommand } from '@aws-sdk/client-ecs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { destroyAll, destroyAllWorks } from '../e2e/destroy-all.e2e.ts';
import { ecsCluster } from '../ecs/ecs-cluster.ts';
import { ecsFunctionsEnv, startWithHello } from '../ecs/ecs-functions.ts';
import { ecsFilesEnv, liveTasks, startEcs, startEcsWithFiles } from '../ecs/ecs-on-docker.ts';
import { TOOLS_KEY, WORKSPACE_FAMILY } from '../ecs/runtime-access.ts';
import { eventually } from '../support/cluster.ts';
import type { EcsEmulator } from '../support/ecs-emulator/ecs-emulator.ts';
import { FunctionCalls } from '../support/function-calls.ts';
import { must } from '../support/must.ts';
import { RuntimeProcess } from '../support/runtime-process.ts';
import { describeWith, redis } from '../support/services/provided.ts';
import { WorkspaceCalls } from '../support/workspace-calls.ts';

const SERVICES = ['docker', 'redis', 's3', 'workspace-base-image', 'proxy-sidecar-image'] as const;

describeWith([...SERVICES], 'berth destroy-all on ECS', () => {
  let emulator: EcsEmulator;
  beforeAll(async () => {
    emulator = await startEcs();
  });
  afterAll(() => emulator[Symbol.asyncDispose]());

  destroyAllWorks((env = {}, url = redis().url) => ecsCluster(url, emulator, env));
});

describeWith([...SERVICES, 'workspace-editor-image'], 'berth destroy-all of workspaces on ECS', () => {
  const installation = `gone-${randomBytes(4).toString('hex')}`;
  let emulator: EcsEmulator;
  beforeAll(async () => {
    emulator = await startEcsWithFiles([installation]);
  });
  afterAll(() => emulator[Symbol.asyncDispose]());

  /** Of workspaces' task definitions. */
  async function families(): Promise<string[]> {
    const client = new ECSClient({
      endpoint: emulator.url,
      region: emulator.region,
      credentials: { accessKeyId: TOOLS_KEY, secretAccessKey: 'not-checked' },
    });
    const begin = { familyPrefix: `${WORKSPACE_FAMILY}_`, status: 'ACTIVE' } as const;
    const { families = [] } = await client.send(new ListTaskDefinitionFamiliesCommand(begin));
    client.destroy();
    return families;
  }

  it('ends their tasks; homes and what tasks are made of stay until they are purged, also of those asleep', async () => {
    const env = { ...ecsFilesEnv(emulator), BERTH_INSTALLATION: installation };
    await using runtime = await RuntimeProcess.start({ env });
    const [running, asleep] = [
      await WorkspaceCalls.make(runtime, `runs-${randomBytes(4).toString('hex')}`),
      await WorkspaceCalls.make(runtime, `sleeps-${randomBytes(4).toString('hex')}`),
    ];
    for (const each of [running, asleep]) await each.settles({ observed_status: 'RUNNING' });
    await asleep.want('STANDBY');
    await asleep.settles({ observed_status: 'STANDBY' });
    await runtime.stop();
    const ending = { ...env, BERTH_DATA_DIR: runtime.dataDir };
    expect(await destroyAll(ending, '--yes')).toMatchObject({ code: 0 });
    expect(liveTasks(emulator)).toEqual([]);
    expect(await families()).toHaveLength(2);

    const purged = await destroyAll(ending, '--yes', '--purge');
    expect(purged).toMatchObject({ code: 0, output: expect.stringContaining('Nothing is left.') });
    for (const { id } of [running, asleep]) expect(purged.output).toContain(`removing ws-${id}-home\n`);
    // What emptied the homes ends by itself.
    await eventually(() => expect(liveTasks(emulator)).toEqual([]));
    expect(await families()).toEqual([]);
    const again = await destroyAll(ending, '--yes', '--purge');
    expect(again).toEqual({ code: 0, output: 'There are no containers.\n' });
  }, 300_000);
});

describeWith([...SERVICES, 'function-node-image'], 'berth destroy-all of functions on ECS', () => {
  const installation = `gone-${randomBytes(4).toString('hex')}`;
  let emulator: EcsEmulator;
  beforeAll(async () => {
    emulator = await startWithHello();
  });
  afterAll(() => emulator[Symbol.asyncDispose]());

  it('ends the workers’ tasks that a killed runtime left', async () => {
    const env = { ...ecsFunctionsEnv(emulator), BERTH_INSTALLATION: installation };
    await using runtime = await RuntimeProcess.start({ env });
    const source = 'export default ({ name }) => ({ hello: name })';
    const hello = await FunctionCalls.define(runtime, 'hello', source, { task_definition: 'hello' });
    const { worker, json } = await hello.call({ name: 'ecs' });
    expect(json).toEqual({ hello: 'ecs' });
    expect(liveTasks(emulator, must(worker ?? undefined))).toHaveLength(1);
    await runtime.stop('SIGKILL');
    const done = await destroyAll({ ...env, BERTH_DATA_DIR: runtime.dataDir }, '--yes');
    expect(done).toMatchObject({ code: 0, output: expect.stringContaining('Nothing is left.') });
    expect(done.output).toContain(`ending ${worker}\n`);
    expect(liveTasks(emulator)).toEqual([]);
  });
});
