import fc from 'fast-check';
import { describe, it } from 'vitest';
import { describeWith, redis } from '../../support/services/provided.ts';
import { ManualClock } from './manual-clock.ts';
import { type Operation, operations } from './operations.ts';
import { checkOperations } from './properties.ts';
import { memoryUnderTest, redisUnderTest } from './state-under-test.ts';

describe('any calls in any order, in memory', () => {
  it('keep the invariants, and repeating one changes nothing', () =>
    check(300, async (calls) => checkOperations(calls, [await memoryUnderTest()])));
});

describeWith('redis', 'any calls in any order, in Redis', () => {
  it('keep the invariants, and do step by step what they do in memory', () =>
    check(40, async (calls) => {
      const clock = new ManualClock();
      const memory = await memoryUnderTest(clock);
      await using inRedis = await redisUnderTest(redis().url, clock);
      await checkOperations(calls, [memory, inRedis]);
    }));
});

const ENOUGH_MS = 8_000;
const SHRINKING_ENDS_MS = 20_000;

/** On a busy machine fewer runs have to do; only the search for a smaller failure takes longer. */
async function check(numRuns: number, property: (calls: Operation[]) => Promise<void>): Promise<void> {
  const enough = performance.now() + ENOUGH_MS;
  let failed = false;
  const run = async (calls: Operation[]) => {
    if (performance.now() > enough && !failed) return;
    await property(calls).catch((error: unknown) => {
      failed = true;
      throw error;
    });
  };
  await fc.assert(fc.asyncProperty(operations, run), { numRuns, interruptAfterTimeLimit: SHRINKING_ENDS_MS });
}
