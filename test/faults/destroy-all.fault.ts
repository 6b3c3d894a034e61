import { expect, it } from 'vitest';
import { destroyAll, destroyAllWorks } from '../e2e/destroy-all.e2e.ts';
import { Cluster } from '../support/cluster.ts';
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
  }, 120_000);
});
