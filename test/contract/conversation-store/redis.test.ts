import { describeWith, redis } from '../../support/services/provided.ts';
import { conversationStoreContract } from './conversation-store.contract.ts';
import { redisUnderTest } from './store-under-test.ts';

describeWith('redis', 'the conversation store in Redis', () => {
  conversationStoreContract(() => redisUnderTest(redis().url));
});
