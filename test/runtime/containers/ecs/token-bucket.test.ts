import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TokenBucket } from '../../../../runtime/containers/ecs/token-bucket.ts';

describe('a token bucket', () => {
  it('lets a burst through at once, and then one after the other at its rate', () => {
    const bucket = new TokenBucket({ burst: 3, perSecond: 10 }, () => 0);

    expect(Array.from({ length: 6 }, () => bucket.take())).toEqual([0, 0, 0, 100, 200, 300]);
  });

  it('is full again after a rest, and never fuller', () => {
    let now = 0;
    const bucket = new TokenBucket({ burst: 2, perSecond: 10 }, () => now);
    for (let taken = 0; taken < 4; taken += 1) bucket.take();
    now = 3_600_000;

    expect(Array.from({ length: 3 }, () => bucket.take())).toEqual([0, 0, 100]);
  });

  it('never lets more through in any window than its burst and its rate allow, nor holds back without need', () => {
    const rate = fc.record({
      burst: fc.integer({ min: 1, max: 20 }),
      perSecond: fc.integer({ min: 1, max: 50 }),
    });
    const pauses = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3000 })), { maxLength: 60 });
    fc.assert(
      fc.property(rate, pauses, ({ burst, perSecond }, gaps) => {
        let now = 0;
        const bucket = new TokenBucket({ burst, perSecond }, () => now);
        const passed: number[] = [];
        for (const gap of gaps) {
          now += gap;
          passed.push(now + bucket.take());
        }
        for (const [first, from] of passed.entries()) {
          for (const [last, until] of passed.entries()) {
            if (last < first) continue;
            const allowed = burst + ((until - from) / 1000) * perSecond;
            expect(last - first + 1).toBeLessThanOrEqual(allowed + 1e-6);
          }
        }
        // Whoever waits stands behind a full burst, or behind one who waits as well.
        let asked = 0;
        for (const [at, gap] of gaps.entries()) {
          asked += gap;
          const through = passed[at] ?? 0;
          const before = passed.slice(0, at).filter((time) => time > asked - (burst / perSecond) * 1000);
          if (through > asked + 1e-6) expect(before.length).toBeGreaterThan(0);
          if (at < burst) expect(through).toBe(asked);
        }
      }),
    );
  });

  it('makes its callers wait, and lets one that gives up go', async () => {
    const bucket = new TokenBucket({ burst: 1, perSecond: 20 });
    const began = performance.now();
    await bucket.pass();
    await bucket.pass();
    expect(performance.now() - began).toBeGreaterThan(45);

    const slow = new TokenBucket({ burst: 1, perSecond: 0.001 });
    await slow.pass();
    const giveUp = new AbortController();
    const waiting = slow.pass(giveUp.signal);
    giveUp.abort();
    await expect(waiting).rejects.toThrow();
  });
});
