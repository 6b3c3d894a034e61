import { invalidParameter } from '../api/aws-error.ts';
import type { RunTaskRequest } from '../api/run-task-shape.ts';
import type { Cluster } from '../cluster-store.ts';
import type { TaskDefinition } from '../task-definition-store.ts';

export interface Capacity {
  readonly launchType: 'FARGATE' | 'EC2';
  readonly capacityProvider: string | undefined;
}

/** Where a task runs: by its launch type, its strategy, the cluster's default strategy, or else on EC2. */
export function chooseCapacity(
  cluster: Cluster,
  definition: TaskDefinition,
  { launchType, capacityProviderStrategy: strategy = [] }: RunTaskRequest,
): Capacity {
  if (launchType !== undefined && strategy.length > 0) {
    throw invalidParameter('Specifying both a launch type and capacity provider strategy is not supported.');
  }
  const items = strategy.length > 0 || launchType !== undefined ? strategy : cluster.defaultStrategy;
  for (const { capacityProvider } of items) {
    if (cluster.capacityProviders.includes(capacityProvider)) continue;
    throw invalidParameter(
      'The specified capacity provider strategy cannot contain a capacity provider that is not associated with the cluster.',
    );
  }
  // One task a call is placed by the bases first, then by the weights: the first item stands for all.
  const [item] = items.filter(({ base = 0, weight = items.length === 1 ? 1 : 0 }) => base > 0 || weight > 0);
  if (items.length > 0 && item === undefined) {
    throw invalidParameter('A capacity provider strategy needs a provider with a weight above 0.');
  }
  if (item !== undefined) {
    const isFargate = /^FARGATE(_SPOT)?$/.test(item.capacityProvider);
    return { launchType: supported(isFargate ? 'FARGATE' : 'EC2'), capacityProvider: item.capacityProvider };
  }
  if (launchType === 'FARGATE') return { launchType: supported('FARGATE'), capacityProvider: undefined };
  throw invalidParameter('No Container Instances were found in your cluster.');

  function supported(type: 'FARGATE' | 'EC2'): 'FARGATE' | 'EC2' {
    const required = definition.requiresCompatibilities ?? [];
    if (type === 'FARGATE' ? required.includes(type) : required.length === 0 || required.includes(type))
      return type;
    throw invalidParameter(`Task definition does not support launch_type ${type}.`);
  }
}
