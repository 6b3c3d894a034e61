import { getSubnetOutput } from '@pulumi/aws/ec2/getSubnet.js';
import { getVpcOutput } from '@pulumi/aws/ec2/getVpc.js';
import { all, type Input, output } from '@pulumi/pulumi';
import type { EcsNetwork } from './ecs-network.ts';
import type { EcsPlace } from './ecs-place.ts';
import { addressesBesideContainers, capacityProblem } from './subnet-capacity.ts';

interface Given {
  place: EcsPlace;
  vpcId: Input<string>;
  subnetIds: Input<Input<string>[]>;
  maxContainers: number;
  /** Most tasks of services in it. */
  serviceTasks: number;
}

/** A network that is there already. Everything shares its subnets; what can't be addressed in them is refused. */
export function givenNetwork({ place, vpcId, subnetIds, maxContainers, serviceTasks }: Given): EcsNetwork {
  const { parent } = place;
  const ids = output(subnetIds);
  const found = ids.apply((wanted) => all(wanted.map((id) => getSubnetOutput({ id }, { parent }))));
  const checked = all([ids, found, vpcId]).apply(([wanted, subnets, vpc]) => {
    const problem = givenSubnetsProblem(subnets, { vpcId: vpc, maxContainers, serviceTasks });
    if (problem !== undefined) throw new Error(problem);
    return { ids: wanted, ranges: subnets.map(({ cidrBlock }) => cidrBlock) };
  });
  return {
    own: false,
    vpcId: output(vpcId),
    range: getVpcOutput({ id: vpcId }, { parent }).cidrBlock,
    taskSubnets: checked.ids,
    serviceSubnets: checked.ids,
    serviceRanges: checked.ranges,
    proxySubnets: output([]), // there is no proxy apart in it
    routeTables: [],
    gateways: [],
    routes: [],
  };
}

interface FoundSubnet {
  id: string;
  vpcId: string;
  cidrBlock: string;
  availabilityZone: string;
  mapPublicIpOnLaunch: boolean;
}

/** Why a platform can't be in these subnets. */
export function givenSubnetsProblem(
  subnets: readonly FoundSubnet[],
  { vpcId, maxContainers, serviceTasks }: { vpcId: string; maxContainers: number; serviceTasks: number },
): string | undefined {
  const refuse = (wants: string) => `The platform can't be made like this:\n  subnetIds wants ${wants}`;
  const foreign = subnets.find((subnet) => subnet.vpcId !== vpcId);
  if (foreign !== undefined) return refuse(`subnets of ${vpcId}, but ${foreign.id} is of ${foreign.vpcId}`);
  const open = subnets.find(({ mapPublicIpOnLaunch }) => mapPublicIpOnLaunch);
  if (open !== undefined) return refuse(`private subnets, but ${open.id} gives out public addresses`);
  const zones = new Set(subnets.map(({ availabilityZone }) => availabilityZone));
  if (zones.size < 2 || zones.size < subnets.length) return refuse('one subnet a zone, in two zones or more');
  const besides = addressesBesideContainers({ serviceTasks, subnets: subnets.length });
  const ranges = subnets.map(({ cidrBlock }) => cidrBlock);
  return capacityProblem(ranges, maxContainers, besides);
}
