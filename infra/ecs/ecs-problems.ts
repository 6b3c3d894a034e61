import type { Problem } from '../argument-problems.ts';
import type { PlatformArgs } from '../platform-args.ts';
import { assumesAbroad } from './egress-plan.ts';
import { DEFAULT_VPC_CIDR, subnetRanges } from './own-network.ts';
import { capacityProblems } from './subnet-capacity.ts';

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
  if (vpcId === undefined && !wrong.has('vpcCidr') && !wrong.has('maxContainers')) {
    const { tasks } = subnetRanges(vpcCidr);
    problems.push(...capacityProblems(tasks, args.maxContainers ?? DEFAULT_MAX_CONTAINERS));
  }
  return problems;
}
