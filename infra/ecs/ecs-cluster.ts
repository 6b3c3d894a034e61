import { LogGroup } from '@pulumi/aws/cloudwatch/logGroup.js';
import { Cluster } from '@pulumi/aws/ecs/cluster.js';
import { ClusterCapacityProviders } from '@pulumi/aws/ecs/clusterCapacityProviders.js';
import { type CustomResourceOptions, type Input, interpolate } from '@pulumi/pulumi';
import type { EcsPlace } from './ecs-place.ts';

const LOG_DAYS = 30;
const FARGATE = ['FARGATE', 'FARGATE_SPOT'];

/** Whether a capacity provider is of instances, and not of Fargate. */
export function isOnInstances(capacityProvider: string | undefined): boolean {
  return capacityProvider !== undefined && !FARGATE.includes(capacityProvider);
}

/** The cluster of the conversations' tasks and of the runtime's own, with what it may run them on. */
export function ecsCluster(
  place: EcsPlace,
  capacityProvider: string | undefined,
): { cluster: Cluster; ready: ClusterCapacityProviders } {
  const { name, parent, tags } = place;
  const cluster = new Cluster(
    name,
    // The name is known beforehand: instances of the operator's join it by name.
    { name, settings: [{ name: 'containerInsights', value: 'enabled' }], tags },
    { parent },
  );
  // Container Insights would make it itself with the first task, to be kept for ever.
  const insights = interpolate`/aws/ecs/containerinsights/${cluster.name}/performance`;
  const figures = expiringLogs(place, 'insights', insights, { parent });
  const own = capacityProvider !== undefined && isOnInstances(capacityProvider) ? [capacityProvider] : [];
  const ready = new ClusterCapacityProviders(
    name,
    { clusterName: cluster.name, capacityProviders: [...FARGATE, ...own] },
    { parent, dependsOn: [figures] },
  );
  return { cluster, ready };
}

export type LogName = 'workspace-agent' | 'runtime' | 'proxy' | 'sweeper';

/** Where the output of a part goes, for a while. */
export function logGroup(place: EcsPlace, of: LogName): LogGroup {
  return expiringLogs(place, of, logGroupName(place.name, of), { parent: place.parent });
}

/** The same under a name that AWS writes to by itself. */
export function expiringLogs(
  { name, tags }: EcsPlace,
  of: string,
  called: Input<string>,
  options: CustomResourceOptions,
): LogGroup {
  return new LogGroup(`${name}-${of}`, { name: called, retentionInDays: LOG_DAYS, tags }, options);
}

export function logGroupName(platform: string, of: LogName): string {
  return `/ecs/${platform}/${of}`;
}
