import { getSubnetOutput } from '@pulumi/aws/ec2/getSubnet.js';
import { getVpcOutput } from '@pulumi/aws/ec2/getVpc.js';
import { all, type Input, output } from '@pulumi/pulumi';
import { type Problem, refusal } from '../argument-problems.ts';
import { RULES } from '../platform-rules.ts';
import type { EcsNetwork } from './ecs-network.ts';
import type { EcsPlace } from './ecs-place.ts';
import { addressesBesideContainers, capacityProblems } from './subnet-capacity.ts';

interface Given {
  place: EcsPlace;
  vpcId: Input<string>;
  subnetIds: Input<Input<string>[]>;
  maxContainers: number;
  /** Of the runtime, at its busiest. */
  instances: number;
  functions: boolean;
}

/** A network that is there already. Everything shares its subnets. */
export function givenNetwork({ place, vpcId, subnetIds, ...room }: Given): EcsNetwork {
  const { parent } = place;
  const ids = output(subnetIds);
  const found = ids.apply((wanted) => all(wanted.map((id) => getSubnetOutput({ id }, { parent }))));
  const fits = all([found, vpcId]).apply(([subnets, vpc]) => {
    const problems = givenSubnetsProblems(subnets, { vpcId: vpc, ...room });
    if (problems.length > 0) throw refusal(problems);
  });
  return {
    own: false,
    fits,
    vpcId: output(vpcId),
    range: getVpcOutput({ id: vpcId }, { parent }).cidrBlock,
    taskSubnets: ids,
    inEachZone: (make) => ids.apply((wanted) => wanted.map(make)), // it is refused with two in one zone
    serviceSubnets: ids,
    serviceRanges: found.apply((subnets) => subnets.map(({ cidrBlock }) => cidrBlock)),
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
export function givenSubnetsProblems(
  subnets: readonly FoundSubnet[],
  {
    vpcId,
    maxContainers,
    ...room
  }: Pick<Given, 'maxContainers' | 'instances' | 'functions'> & { vpcId: string },
): Problem[] {
  const refuse = (wants: string): Problem[] => [
    { key: 'subnetIds', wants, example: RULES.subnetIds.example },
  ];
  const foreign = subnets.find((subnet) => subnet.vpcId !== vpcId);
  if (foreign !== undefined)
    return refuse(`subnets of ${vpcId}, and not ${foreign.id}, which is of ${foreign.vpcId}`);
  const open = subnets.find(({ mapPublicIpOnLaunch }) => mapPublicIpOnLaunch);
  if (open !== undefined)
    return refuse(`private subnets, and not ${open.id}, which gives out public addresses`);
  const zones = new Set(subnets.map(({ availabilityZone }) => availabilityZone));
  if (zones.size < 2 || zones.size < subnets.length) return refuse('one subnet a zone, in two zones or more');
  const besides = addressesBesideContainers({ ...room, subnets: subnets.length });
  const ranges = subnets.map(({ cidrBlock }) => cidrBlock);
  return capacityProblems(ranges, maxContainers, besides);
}
