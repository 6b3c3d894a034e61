import { z } from 'zod';
import { AwsError } from '../api/aws-error.ts';
import { CapacityStrategy } from '../api/run-task-shape.ts';
import { checkedTags, Tags, tagList } from '../api/tag-rules.ts';
import type { Cluster } from '../cluster-store.ts';
import type { World } from '../world.ts';
import { operation } from './operation.ts';

export const createCluster = operation(
  z.strictObject({
    clusterName: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,255}$/, 'Cluster names have up to 255 letters, numbers, - and _')
      .default('default'),
    capacityProviders: z.array(z.string()).optional(),
    defaultCapacityProviderStrategy: CapacityStrategy.optional(),
    tags: Tags.optional(),
  }),
  (world, request) => {
    const cluster = world.clusters.create(request.clusterName, {
      capacityProviders: request.capacityProviders ?? [],
      defaultStrategy: request.defaultCapacityProviderStrategy ?? [],
      tags: checkedTags(request.tags ?? []),
    });
    return { cluster: wireCluster(world, cluster) };
  },
);

export const describeClusters = operation(
  z.strictObject({
    clusters: z.array(z.string()).max(100).default(['default']),
    include: z.array(z.enum(['TAGS', 'SETTINGS', 'STATISTICS', 'ATTACHMENTS', 'CONFIGURATIONS'])).optional(),
  }),
  (world, { clusters: wanted }) => {
    const found = wanted.map((name) => ({ name, cluster: world.clusters.find(name) }));
    return {
      clusters: found.flatMap(({ cluster }) => (cluster === undefined ? [] : [wireCluster(world, cluster)])),
      failures: found
        .filter(({ cluster }) => cluster === undefined)
        .map(({ name }) => ({
          arn: name.startsWith('arn:') ? name : world.arns.cluster(name),
          reason: 'MISSING',
        })),
    };
  },
);

export const putClusterCapacityProviders = operation(
  z.strictObject({
    cluster: z.string(),
    capacityProviders: z.array(z.string()),
    defaultCapacityProviderStrategy: CapacityStrategy,
  }),
  (world, { cluster: named, capacityProviders, defaultCapacityProviderStrategy }) => {
    const cluster = world.clusters.get(named);
    cluster.capacityProviders = capacityProviders;
    cluster.defaultStrategy = defaultCapacityProviderStrategy;
    return { cluster: wireCluster(world, cluster) };
  },
);

export const deleteCluster = operation(
  z.strictObject({ cluster: z.string() }),
  (world, { cluster: named }) => {
    const cluster = world.clusters.get(named);
    if (world.services.of(cluster).length > 0) {
      throw new AwsError(
        'ClusterContainsServicesException',
        'The Cluster cannot be deleted while Services are active.',
      );
    }
    if (world.tasks.of(cluster).some(({ status }) => status !== 'STOPPED')) {
      throw new AwsError(
        'ClusterContainsTasksException',
        'The Cluster cannot be deleted while Tasks are active.',
      );
    }
    world.clusters.delete(cluster);
    return { cluster: { ...wireCluster(world, cluster), status: 'INACTIVE' } };
  },
);

function wireCluster(world: World, cluster: Cluster): Record<string, unknown> {
  const tasks = world.tasks.of(cluster).filter(({ desiredStatus }) => desiredStatus === 'RUNNING');
  const running = tasks.filter(({ status }) => status === 'RUNNING').length;
  return {
    clusterArn: cluster.arn,
    clusterName: cluster.name,
    status: 'ACTIVE',
    registeredContainerInstancesCount: 0,
    runningTasksCount: running,
    pendingTasksCount: tasks.length - running,
    activeServicesCount: world.services.of(cluster).length,
    statistics: [],
    settings: [],
    tags: tagList(cluster.tags),
    capacityProviders: cluster.capacityProviders,
    defaultCapacityProviderStrategy: cluster.defaultStrategy,
  };
}
