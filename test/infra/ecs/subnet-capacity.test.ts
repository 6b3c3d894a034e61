import { describe, expect, it } from 'vitest';
import {
  addressesBesideContainers,
  addressesBesideConversations,
  capacityProblems,
  usableAddresses,
} from '../../../infra/ecs/subnet-capacity.ts';

describe('what subnets can address', () => {
  it.each([
    ['10.0.0.0/28', 11],
    ['10.0.0.0/24', 251],
    ['10.0.0.0/18', 16_379],
  ])('%s has %i addresses to give', (range, addresses) => {
    expect(usableAddresses(range)).toBe(addresses);
  });

  it.each(['10.0.0.0', '10.0.0.0/8', '10.0.0.0/29', 'fd00::/64'])('%s is no range of a subnet', (range) => {
    expect(() => usableAddresses(range)).toThrow(`${range} is no range of a subnet`);
  });

  it('a container more than there are addresses is refused, and how many there are is told', () => {
    expect(capacityProblems(['10.0.0.0/24', '10.0.1.0/24'], 502)).toEqual([]);
    expect(capacityProblems(['10.0.0.0/24', '10.0.1.0/24'], 503)).toEqual([
      {
        key: 'maxContainers',
        wants: 'at most 502 in the subnets 10.0.0.0/24, 10.0.1.0/24',
        example: '502',
        is: '503',
      },
    ]);
  });

  it('what is among conversations counts: workspaces, work on their homes, what leads there, and workers', () => {
    const without = addressesBesideConversations({ instances: 8, functions: false, subnets: 2 });
    expect(without).toBe(100 + 8 * 8 + 2);
    expect(addressesBesideConversations({ instances: 8, functions: true, subnets: 2 })).toBe(without + 200);
  });

  it('what shares the subnets counts, too: services twice, as while they are deployed, and the load balancer in each', () => {
    const neighbours = { instances: 8, functions: false, subnets: 2 };
    const besides = addressesBesideContainers(neighbours);
    expect(besides).toBe(addressesBesideConversations(neighbours) + 16 + 16 + 6);
    expect(capacityProblems(['10.0.0.0/23'], 507 - besides, besides)).toEqual([]);
    expect(capacityProblems(['10.0.0.0/23'], 508 - besides, besides)).toMatchObject([{ example: '303' }]);
  });

  it('subnets that the others fill have no room for any: larger ones are wanted', () => {
    expect(capacityProblems(['10.0.0.0/28'], 1, 38)).toMatchObject([
      { key: 'subnetIds', wants: expect.stringContaining('larger subnets than 10.0.0.0/28') },
    ]);
  });
});
