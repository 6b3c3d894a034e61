import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterCreation,
  afterLook,
  type DemandSeen,
  HOLD_SECONDS,
  NO_DEMAND_SEEN,
  poolTarget,
} from '../../../runtime/pool/pool-target.ts';
import { NOW } from './pool-states.ts';

const SIZES = { min: 2, max: 10 };

/** Looks every `every` seconds, with `perSecond` arrivals between, for `seconds`. */
function steady(seen: DemandSeen, perSecond: number, seconds: number, every = 5): DemandSeen {
  const start = seen.last ?? { demand: 0, at: NOW };
  let state = afterLook(seen, start.demand, start.at);
  for (let passed = every; passed <= seconds; passed += every) {
    state = afterLook(state, start.demand + perSecond * passed, start.at + passed * 1000);
  }
  return state;
}

const refilledIn = (seconds: number) =>
  Array.from({ length: 20 }).reduce<DemandSeen>((seen) => afterCreation(seen, seconds), NO_DEMAND_SEEN);

describe('the target', () => {
  it('is the minimum where nothing is known of the demand', () => {
    expect(poolTarget(NO_DEMAND_SEEN, SIZES)).toBe(2);
    expect(poolTarget(afterLook(NO_DEMAND_SEEN, 5000, NOW), SIZES)).toBe(2);
  });

  it('is what arrives twice over while a member is made', () => {
    const seen = steady(refilledIn(3.9), 0.5, 600);
    expect(seen.rate).toBeCloseTo(0.5, 2);
    expect(poolTarget(seen, SIZES)).toBe(4);
    expect(poolTarget(steady(refilledIn(0.9), 0.5, 600), SIZES)).toBe(2);
    expect(poolTarget(steady(refilledIn(3.9), 5, 600), SIZES)).toBe(10);
  });

  it('is the same however often one looks', () => {
    const rates = [0.01, 1, 30].map((every) => steady(NO_DEMAND_SEEN, 0.5, 300, every).rate);
    for (const rate of rates) expect(rate).toBeCloseTo(0.5, 2);
  });

  it('follows a size that an operator sets at once', () => {
    const seen = steady(refilledIn(3.9), 0.5, 600);
    expect(poolTarget(seen, { min: 6, max: 10 })).toBe(6);
    expect(poolTarget(seen, { min: 0, max: 3 })).toBe(3);
    expect(poolTarget(seen, { min: 0, max: 0 })).toBe(0);
    expect(poolTarget(seen, { min: 5, max: 1 })).toBe(1);
  });

  it('rises at once, falls only when less was wanted for a while, and gets to nothing', () => {
    const calm = steady(refilledIn(10), 0.05, 600);
    const burst = steady(calm, 1, 30);
    const high = poolTarget(burst, { min: 0, max: 100 });
    expect(high).toBeGreaterThan(poolTarget(calm, { min: 0, max: 100 }));
    const soon = steady(burst, 0, HOLD_SECONDS - 5);
    expect(poolTarget(soon, { min: 0, max: 100 })).toBe(high);
    const late = steady(burst, 0, HOLD_SECONDS + 5);
    expect(poolTarget(late, { min: 0, max: 100 })).toBeLessThan(high);
    expect(poolTarget(steady(burst, 0, 4 * HOLD_SECONDS), { min: 0, max: 100 })).toBe(0);
  });

  it('does not take a store that was emptied for a burst, nor for calm', () => {
    const seen = steady(refilledIn(3.9), 0.5, 600);
    const { demand, at } = seen.last ?? { demand: 0, at: 0 };
    expect(demand).toBe(300);
    const emptied = afterLook(seen, 2, at + 4000);
    expect(emptied.rate).toBeCloseTo(0.5, 2);
  });

  it('counts at the next look what came within the same instant', () => {
    const first = afterLook(NO_DEMAND_SEEN, 0, NOW);
    expect(afterLook(afterLook(first, 60, NOW), 60, NOW + 1000)).toEqual(afterLook(first, 60, NOW + 1000));
  });

  it('stays within the sizes, whatever it is told', () => {
    const number = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(Number.NaN, Infinity, -Infinity));
    const told = fc.oneof(
      fc.record({ demand: number, now: number }),
      fc.record({ demand: fc.nat(), now: fc.integer({ min: 0, max: 10_000_000 }) }),
      fc.record({ seconds: number }),
    );
    const sizes = fc
      .tuple(fc.nat(10_000), fc.nat(10_000))
      .map(([a, b]) => ({ min: Math.min(a, b), max: Math.max(a, b) }));
    fc.assert(
      fc.property(fc.array(told), sizes, (all, { min, max }) => {
        const seen = all.reduce<DemandSeen>(
          (state, each) =>
            'seconds' in each ? afterCreation(state, each.seconds) : afterLook(state, each.demand, each.now),
          NO_DEMAND_SEEN,
        );
        const target = poolTarget(seen, { min, max });
        expect(target).toBeGreaterThanOrEqual(min);
        expect(target).toBeLessThanOrEqual(max);
        expect(Number.isInteger(target)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});
