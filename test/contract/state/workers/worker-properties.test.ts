import { describe, it } from 'vitest';
import { describeWith, redis } from '../../../support/services/provided.ts';
import { checkAny } from '../check-any.ts';
import { ManualClock } from '../manual-clock.ts';
import { memoryUnderTest, redisUnderTest } from '../state-under-test.ts';
import { workerOperations } from './operations.ts';
import { checkWorkerOperations } from './worker-properties.ts';

describe('any calls for workers in any order, in memory', () => {
  it('keep the invariants, and repeating one changes nothing', () =>
    checkAny(workerOperations, 400, async (calls) =>
      checkWorkerOperations(calls, [await memoryUnderTest()]),
    ));
});

describeWith('redis', 'any calls for workers in any order, in Redis', () => {
  it('keep the invariants, and do step by step what they do in memory', () =>
    checkAny(workerOperations, 60, async (calls) => {
      const clock = new ManualClock();
      const memory = await memoryUnderTest(clock);
      await using inRedis = await redisUnderTest(redis().url, clock);
      await checkWorkerOperations(calls, [memory, inRedis]);
    }));
});
