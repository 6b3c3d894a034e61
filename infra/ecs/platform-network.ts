import type { PlatformArgs } from '../platform-args.ts';
import type { EcsNetwork } from './ecs-network.ts';
import type { EcsPlace } from './ecs-place.ts';
import { DEFAULT_MAX_CONTAINERS } from './ecs-problems.ts';
import type { EgressPlan } from './egress-plan.ts';
import { givenNetwork } from './given-network.ts';
import { mostInstances } from './most-instances.ts';
import { DEFAULT_VPC_CIDR, ownNetwork, type WayOut } from './own-network.ts';

interface Given {
  args: PlatformArgs;
  egress: EgressPlan;
  proxyApart: boolean;
  replicas: number;
}

/** The network that was given, or one of the platform's own. */
export function platformNetwork(place: EcsPlace, given: Given): EcsNetwork {
  const { args, egress, proxyApart, replicas } = given;
  const { vpcId, subnetIds, vpcCidr, maxContainers = DEFAULT_MAX_CONTAINERS, destroyData = false } = args;
  if (vpcId === undefined || subnetIds === undefined)
    return ownNetwork({
      place,
      range: vpcCidr ?? DEFAULT_VPC_CIDR,
      waysOut: waysOut(egress, proxyApart),
      proxyApart,
      storesStay: !destroyData,
    });
  return givenNetwork({
    place,
    vpcId,
    subnetIds,
    maxContainers,
    instances: mostInstances(replicas),
    functions: args.functionTaskDefinitions !== undefined,
  });
}

/** Whose machines may call the API, where that is known before anything is made; else the network's own. */
export function clientRanges(args: PlatformArgs): string[] | undefined {
  const { vpcId, vpcCidr = DEFAULT_VPC_CIDR } = args;
  return args.clientRanges ?? (vpcId === undefined ? [vpcCidr] : undefined);
}

/** Only who talks to the internet has a way there: the proxy, wherever it is. */
export function waysOut(egress: EgressPlan, proxyApart: boolean): WayOut[] {
  const ways: WayOut[] = [];
  if (egress.publicPorts.length > 0) ways.push(proxyApart ? 'proxy' : 'tasks');
  if (egress.assumesAbroad) ways.push('services');
  return ways;
}
