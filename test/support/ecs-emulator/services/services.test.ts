import {
  CreateServiceCommand,
  DeleteClusterCommand,
  DeleteServiceCommand,
  DescribeServicesCommand,
  UpdateServiceCommand,
} from '@aws-sdk/client-ecs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ArrangedEmulator, CLUSTER, refusal } from '../arranged-emulator.ts';

const SOON = { timeout: 10_000, interval: 10 };

describe('a service', () => {
  let arranged: ArrangedEmulator;
  beforeEach(async () => {
    arranged = await ArrangedEmulator.start({ rates: {} });
    await arranged.register();
  });
  afterEach(() => arranged[Symbol.asyncDispose]());

  const create = async (changes: { taskDefinition?: string; desiredCount?: number } = {}) => {
    const { networkConfiguration } = arranged.runInput();
    await arranged.ecs.send(
      new CreateServiceCommand({
        cluster: CLUSTER,
        serviceName: 'runtime',
        taskDefinition: 'small',
        desiredCount: 2,
        launchType: 'FARGATE',
        networkConfiguration,
        ...changes,
      }),
    );
  };
  const described = async () => {
    const command = new DescribeServicesCommand({ cluster: CLUSTER, services: ['runtime'] });
    return (await arranged.ecs.send(command)).services?.[0];
  };
  const rollout = async () => (await described())?.deployments?.[0]?.rolloutState;
  const live = () => arranged.emulator.tasks.filter(({ stop }) => stop === undefined);
  const revisions = () => live().map(({ identity }) => identity.definition.revision);

  // API_CreateService: "Runs and maintains your desired number of tasks from a specified task definition."
  it('has so many tasks of its definition, and brings back one that ends', async () => {
    await create();
    await expect.poll(rollout, SOON).toBe('COMPLETED');
    expect(await described()).toMatchObject({ status: 'ACTIVE', runningCount: 2, pendingCount: 0 });
    const [first] = live();
    expect(first?.identity).toMatchObject({ group: 'service:runtime', startedBy: 'ecs-svc/runtime' });
    arranged.emulator.stopFromOutside(first?.arn ?? '');
    expect(live()).not.toContain(first);
    await expect.poll(async () => (await described())?.runningCount, SOON).toBe(2);
  });

  // API_UpdateService: a rolling update.
  it('replaces its tasks when there is another definition, once the new ones run', async () => {
    await create();
    await expect.poll(rollout, SOON).toBe('COMPLETED');
    const next = await arranged.register();
    arranged.emulator.setDelays({ provisioning: 60_000 });
    await arranged.ecs.send(
      new UpdateServiceCommand({ cluster: CLUSTER, service: 'runtime', taskDefinition: next }),
    );
    expect(revisions()).toEqual([1, 1, 2, 2]);
    arranged.emulator.clock.advance(60_000);
    await expect.poll(revisions, SOON).toEqual([2, 2]);
    expect(await rollout()).toBe('COMPLETED');
  });

  // "How the Amazon ECS deployment circuit breaker detects failures".
  it('is given up when its tasks keep failing, with the reason', async () => {
    const secrets = [{ name: 'KEY', valueFrom: 'arn:aws:secretsmanager:us-east-1:123456789012:secret:none' }];
    const taskDefinition = await arranged.register({
      executionRoleArn: 'arn:aws:iam::123456789012:role/execution',
      containerDefinitions: [{ name: 'app', image: 'app', secrets }],
    });
    await create({ taskDefinition });
    await expect.poll(rollout, SOON).toBe('FAILED');
    expect((await described())?.deployments?.[0]?.rolloutStateReason).toContain('unable to pull secrets');
    await expect.poll(() => live().length, SOON).toBe(0);
  });

  // API_DeleteService: force; API_DeleteCluster: ClusterContainsServicesException.
  it('is deleted with its tasks, by force where it has any, and its cluster not before', async () => {
    await create();
    const remove = (force: boolean) =>
      arranged.ecs.send(new DeleteServiceCommand({ cluster: CLUSTER, service: 'runtime', force }));
    const removeCluster = () => arranged.ecs.send(new DeleteClusterCommand({ cluster: CLUSTER }));
    expect((await refusal(remove(false))).name).toBe('InvalidParameterException');
    expect((await refusal(removeCluster())).name).toBe('ClusterContainsServicesException');
    await remove(true);
    await expect.poll(async () => (await described())?.status, SOON).toBe('INACTIVE');
    expect((await refusal(remove(true))).name).toBe('ServiceNotActiveException');
    await create(); // the name is free again
    await arranged.ecs.send(new DeleteServiceCommand({ cluster: CLUSTER, service: 'runtime', force: true }));
    await expect.poll(async () => (await described())?.status, SOON).toBe('INACTIVE');
    await removeCluster();
  });
});
