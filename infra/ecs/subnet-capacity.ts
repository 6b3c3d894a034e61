import { VARIABLES } from '../../runtime/contracts/environment.ts';
import { maxFunctionWorkers } from '../../runtime/contracts/load-config.ts';
import type { Problem } from '../argument-problems.ts';
import { RULES } from '../platform-rules.ts';

/** AWS keeps five addresses of every subnet for itself. */
const KEPT_BY_AWS = 5;
/** What a load balancer wants free in each of its subnets. */
const LOAD_BALANCER = 8;
/** What leads to the homes of workspaces, in each of the tasks' subnets. */
const MOUNT_TARGET = 1;
/** Nodes of Redis and of Postgres, with one more of each while they are replaced. */
const STORES = 6;

/** How many network interfaces a subnet of this range can address. */
export function usableAddresses(range: string): number {
  const bits = Number(/^\d+(?:\.\d+){3}\/(\d+)$/.exec(range)?.[1]);
  if (!(bits >= 16 && bits <= 28)) throw new Error(`${range} is no range of a subnet`);
  return 2 ** (32 - bits) - KEPT_BY_AWS;
}

export interface Neighbours {
  /** Of the runtime, at its busiest. */
  instances: number;
  /** Whether there are functions. */
  functions: boolean;
  subnets: number;
}

/** Addresses that the runtime's other tasks may take in the conversations' subnets, and what leads to homes. */
export function addressesBesideConversations({ instances, functions, subnets }: Neighbours): number {
  const workspaces = VARIABLES.MAX_RUNNING_WORKSPACES.default;
  // Each may have a task of its own, which works on a home.
  const operations = VARIABLES.WORKSPACE_PARALLEL_OPERATIONS.default * instances;
  const workers = functions ? maxFunctionWorkers({ MAX_FUNCTION_WORKERS: undefined }, 'ecs') : 0;
  return workspaces + operations + workers + MOUNT_TARGET * subnets;
}

/** The same in subnets that everything shares. */
export function addressesBesideContainers(neighbours: Neighbours): number {
  const whileDeployed = 2 * neighbours.instances;
  const shared = addressesBesideConversations(neighbours);
  return shared + whileDeployed + LOAD_BALANCER * neighbours.subnets + STORES;
}

/** What is wrong with that many containers in these subnets; each takes an address. */
export function capacityProblems(ranges: readonly string[], maxContainers: number, besides = 0): Problem[] {
  const most = ranges.reduce((sum, range) => sum + usableAddresses(range), 0) - besides;
  if (maxContainers <= most) return [];
  const where = ranges.join(', ');
  const why = besides > 0 ? `, where other things take ${besides} addresses` : '';
  if (most < 1)
    return [
      { key: 'subnetIds', wants: `larger subnets than ${where}${why}`, example: RULES.subnetIds.example },
    ];
  const wants = `at most ${most} in the subnets ${where}${why}`;
  return [{ key: 'maxContainers', wants, example: String(most), is: String(maxContainers) }];
}
