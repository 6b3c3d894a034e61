import { expect, it } from 'vitest';
import { freeRanges } from './bridge.ts';

it('takes any of the ranges where no route is in the way', () => {
  const free = freeRanges('default via 192.0.2.1 dev eth0\n192.0.2.0/24 dev eth0 scope link\n');
  expect(free.at(0)).toBe(201);
  expect(free.at(-1)).toBe(240);
});

it('leaves out a range that a route leads into, whichever of the two is the wider', () => {
  expect(freeRanges('10.201.7.0/24 dev berth0').at(0)).toBe(202);
  expect(freeRanges('local 10.201.0.1 dev berth0').at(0)).toBe(202);
  expect(freeRanges('10.192.0.0/12 dev vpn').at(0)).toBe(208);
  expect(freeRanges('10.0.0.0/8 via 192.0.2.1 dev vpn')).toEqual([]);
});
