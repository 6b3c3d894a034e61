import type { Problem } from '../argument-problems.ts';
import type { PlatformArgs } from '../platform-args.ts';
import { assumesAbroad } from './egress-plan.ts';
import { DEFAULT_REPLICAS, mostInstances } from './most-instances.ts';
import { DEFAULT_VPC_CIDR, subnetRanges } from './own-network.ts';
import { addressesBesideConversations, capacityProblems } from './subnet-capacity.ts';

export const DEFAULT_MAX_CONTAINERS = 1000;

/** What can't be on AWS though each argument is right by itself; of those that are not, nothing. */
export function ecsProblems(
  args: PlatformArgs,
  region: string | undefined,
  wrong: ReadonlySet<keyof PlatformArgs>,
): Problem[] {
  const { bedrockRegion, egressMode, vpcId, vpcCidr = DEFAULT_VPC_CIDR } = args;
  const problems: Problem[] = [];
  if (!wrong.has('bedrockRegion') && egressMode === 'service' && assumesAbroad(bedrockRegion, region))
    problems.push({
      key: 'bedrockRegion',
      wants: "the platform's own region with egressMode service",
      example: region ?? '',
    });
  const counted = ['vpcCidr', 'maxContainers', 'runtimeReplicas'] as const;
  if (vpcId === undefined && !counted.some((key) => wrong.has(key))) {
    const { tasks } = subnetRanges(vpcCidr);
    const besides = addressesBesideConversations({
      instances: mostInstances(args.runtimeReplicas ?? DEFAULT_REPLICAS),
      functions: args.functionTaskDefinitions !== undefined,
      subnets: tasks.length,
    });
    problems.push(...capacityProblems(tasks, args.maxContainers ?? DEFAULT_MAX_CONTAINERS, besides));
  }
  return problems;
}
