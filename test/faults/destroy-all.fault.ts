import { expect, it } from 'vitest';
import { destroyAll, destroyAllWorks } from '../e2e/destroy-all.e2e.ts';
import { Cluster, eventually } from '../support/cluster.ts';
import { FUNCTION_SERVICES, FunctionCluster } from '../support/function-cluster.ts';
import { describeWith, redis } from '../support/services/provided.ts';
import { WorkspaceCalls } from '../support/workspace-calls.ts';
import { WORKSPACE_SERVICES, WorkspaceCluster } from '../support/workspace-cluster.ts';

describeWith(['docker', 'redis', 's3', 'workspace-base-image'], 'berth destroy-all', () => {
  destroyAllWorks((env, url = redis().url) => new Cluster(url, env));

  it('explains itself', async () => {
    expect(await destroyAll({}, '--help')).toMatchObject({
      code: 0,
      output: expect.stringContaining('--purge'),
    });
    expect(await destroyAll({}, '--nonsense')).toMatchObject({ code: 2 });
  });
});

describeWith(WORKSPACE_SERVICES, 'berth destroy-all of workspaces', () => {
  it('ends their containers; their homes stay until they are purged, also those that have none', async () => {
    await using here = await WorkspaceCluster.open();
    const runtime = await here.cluster.start();
    const running = await WorkspaceCalls.make(runtime, here.name());
    const asleep = await WorkspaceCalls.make(runtime, here.name(), { desired_state: 'STANDBY' });
    await running.settles({ observed_status: 'RUNNING' });
    await asleep.settles({ observed_status: 'STANDBY' });
    await runtime.stop();
    const env = here.cluster.env('destroy');
    const homes = () => Promise.all([running, asleep].map(({ id }) => here.hasVolume(id)));
    expect(await destroyAll(env, '--yes')).toMatchObject({ code: 0 });
    expect(await here.containers(running.id)).toEqual([]);
    expect(await homes()).toEqual([true, true]);
    const purged = await destroyAll(env, '--yes', '--purge');
    expect(purged).toMatchObject({ code: 0, output: expect.stringContaining('Nothing is left.') });
    expect(await homes()).toEqual([false, false]);
  });
});

describeWith(FUNCTION_SERVICES, 'berth destroy-all of functions', () => {
  const WAITS = 'export default ({ ms = 0 }) => new Promise((resolve) => setTimeout(resolve, ms, {}))';

  it('ends their workers, idle and at work, that a killed runtime left; functions stay, and get others', async () => {
    await using here = await FunctionCluster.open();
    const runtime = await here.cluster.start();
    const called = await here.define(runtime, WAITS, { max_capacity: 2 }, { timeout_seconds: 900 });
    const cut = called.call({ ms: 600_000 }).catch(() => 'cut');
    await eventually(async () => expect((await called.pool()).busy).toBe(1), 60);
    const { worker: idle } = await called.call();
    await eventually(async () => expect((await called.pool()).idle).toBe(1), 60);
    const workers = (await here.workers(called.name)).map(({ id }) => id);
    expect(workers).toHaveLength(2);
    expect(workers).toContain(idle);
    await runtime.stop('SIGKILL');
    expect(await cut).toBe('cut');

    const done = await destroyAll(here.cluster.env('destroy'), '--yes');
    expect(done).toMatchObject({ code: 0, output: expect.stringContaining('Nothing is left.') });
    for (const worker of workers) expect(done.output).toContain(`ending ${worker}\n`);
    expect(await here.workers()).toEqual([]);

    const next = called.at(await here.cluster.start());
    expect(await next.pool()).not.toMatchObject({ idle: 1 });
    const after = await next.call();
    expect(after).toMatchObject({ status: 200, cold: true });
    expect(workers).not.toContain(after.worker);
  }, 180_000);
});
