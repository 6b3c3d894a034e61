import type { PlatformArgs } from '../platform-args.ts';
import { DEFAULT_MAX_CONTAINERS } from './check-ecs.ts';
import { PROXY_TASKS } from './ecs-egress.ts';
import type { EcsNetwork } from './ecs-network.ts';
import type { EcsPlace } from './ecs-place.ts';
import { mostInstances } from './ecs-runtime.ts';
import type { EgressPlan } from './egress-plan.ts';
import { givenNetwork } from './given-network.ts';
import { ownNetwork, type WayOut } from './own-network.ts';

interface Given {
  args: PlatformArgs;
  egress: EgressPlan;
  proxyApart: boolean;
  replicas: number;
}

/** The network that was given, or one of the platform's own. */
export function platformNetwork(place: EcsPlace, given: Given): EcsNetwork {
  const { args, egress, proxyApart, replicas } = given;
  const { vpcId, subnetIds, maxContainers = DEFAULT_MAX_CONTAINERS, destroyData = false } = args;
  if (vpcId === undefined || subnetIds === undefined)
    return ownNetwork({ place, waysOut: waysOut(egress, proxyApart), proxyApart, storesStay: !destroyData });
  const serviceTasks = mostInstances(replicas) + (proxyApart ? PROXY_TASKS : 0);
  return givenNetwork({ place, vpcId, subnetIds, maxContainers, serviceTasks });
}

/** Only who talks to the internet has a way there: the proxy, wherever it is. */
export function waysOut(egress: EgressPlan, proxyApart: boolean): WayOut[] {
  const ways: WayOut[] = [];
  if (egress.publicPorts.length > 0) ways.push(proxyApart ? 'proxy' : 'tasks');
  if (egress.assumesAbroad) ways.push('services');
  return ways;
}
