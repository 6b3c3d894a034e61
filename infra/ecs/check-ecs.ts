import { checkArgs, type PlatformArgs } from '../platform-args.ts';
import { type EgressPlan, egressPlan, reachedHosts } from './egress-plan.ts';
import { DEFAULT_VPC_CIDR, subnetRanges } from './own-network.ts';
import { capacityProblem } from './subnet-capacity.ts';

export const DEFAULT_MAX_CONTAINERS = 1000;

/** Short enough for AWS' shortest names with what it appends. */
const NAME = /^(?=.{1,24}$)[a-z](-?[a-z0-9])*$/;

/** Throws for what can't be made, before anything is; tells what containers will reach. */
export function checkEcs(name: string, args: PlatformArgs, region: string | undefined): EgressPlan {
  checkArgs(args);
  const refuse = (problem: string) => new Error(`The platform can't be made like this:\n  ${problem}`);
  if (!NAME.test(name))
    throw refuse(`its name wants up to 24 of a-z, 0-9 and single -, for instance agents, but is ${name}`);
  const egress = egressPlan({
    allowedDomains: reachedHosts(args),
    bedrockRegion: args.bedrockRegion,
    region,
  });
  if (egress.assumesAbroad && args.egressMode === 'service')
    throw refuse(
      `bedrockRegion wants the platform's own region with egressMode service, for instance ${region}`,
    );
  if (args.vpcId === undefined) {
    const { tasks } = subnetRanges(args.vpcCidr ?? DEFAULT_VPC_CIDR);
    const problem = capacityProblem(tasks, args.maxContainers ?? DEFAULT_MAX_CONTAINERS);
    if (problem !== undefined) throw new Error(problem);
  }
  return egress;
}
