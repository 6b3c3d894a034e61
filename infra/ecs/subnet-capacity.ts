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

/** Addresses that everything but the conversations takes, in subnets that it shares with them. */
export function addressesBesideContainers(others: { serviceTasks: number; subnets: number }): number {
  const whileDeployed = 2 * others.serviceTasks;
  return whileDeployed + (LOAD_BALANCER + MOUNT_TARGET) * others.subnets + STORES;
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
