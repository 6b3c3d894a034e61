import { describe, it } from 'vitest';
import { describeWith, redis } from '../../support/services/provided.ts';
import { checkAny } from './check-any.ts';
import { ManualClock } from './manual-clock.ts';
import { operations } from './operations.ts';
import { checkOperations } from './properties.ts';
import { memoryUnderTest, redisUnderTest } from './state-under-test.ts';

describe('any calls in any order, in memory', () => {
  it('keep the invariants, and repeating one changes nothing', () =>
    checkAny(operations, 300, async (calls) => checkOperations(calls, [await memoryUnderTest()])));
});

describeWith('redis', 'any calls in any order, in Redis', () => {
  it('keep the invariants, and do step by step what they do in memory', () =>
    checkAny(operations, 40, async (calls) => {
      const clock = new ManualClock();
      const memory = await memoryUnderTest(clock);
      await using inRedis = await redisUnderTest(redis().url, clock);
      await checkOperations(calls, [memory, inRedis]);
    }));
});
