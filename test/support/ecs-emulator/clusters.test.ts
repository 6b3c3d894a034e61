import { CreateClusterCommand, DeleteClusterCommand, DescribeClustersCommand } from '@aws-sdk/client-ecs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ArrangedEmulator, CLUSTER, refusal } from './arranged-emulator.ts';

describe('clusters', () => {
  let arranged: ArrangedEmulator;
  beforeAll(async () => {
    arranged = await ArrangedEmulator.start();
    await arranged.register();
  });
  afterAll(() => arranged[Symbol.asyncDispose]());

  // API_DescribeClusters; api_failures_messages: DescribeClusters, MISSING.
  it('are described with their counts; one that is not there is a failure MISSING', async () => {
    await arranged.ecs.send(new CreateClusterCommand({ clusterName: 'second' }));
    const { clusters, failures } = await arranged.ecs.send(
      new DescribeClustersCommand({ clusters: ['second', 'third'] }),
    );
    expect(clusters).toMatchObject([{ clusterName: 'second', status: 'ACTIVE', runningTasksCount: 0 }]);
    expect(failures).toMatchObject([{ reason: 'MISSING', arn: expect.stringMatching(/cluster\/third$/) }]);
  });

  // API_DeleteCluster: ClusterContainsTasksException.
  it('are not deleted while they have tasks', async () => {
    const arn = await arranged.run();
    await arranged.reached(arn, 'RUNNING');
    const remove = () => arranged.ecs.send(new DeleteClusterCommand({ cluster: CLUSTER }));
    expect((await refusal(remove())).name).toBe('ClusterContainsTasksException');
    arranged.emulator.stopFromOutside(arn);
    await arranged.reached(arn, 'STOPPED');
    expect((await remove()).cluster).toMatchObject({ clusterName: CLUSTER, status: 'INACTIVE' });
    expect((await refusal(remove())).name).toBe('ClusterNotFoundException');
  });
});
