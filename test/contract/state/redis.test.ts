import { describeWith, redis } from '../../support/services/provided.ts';
import { stateContract } from './state.contract.ts';
import { redisUnderTest } from './state-under-test.ts';

describeWith('redis', 'the state in Redis', () => {
  stateContract(() => redisUnderTest(redis().url));
});
