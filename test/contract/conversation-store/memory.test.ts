import { describe } from 'vitest';
import { conversationStoreContract } from './conversation-store.contract.ts';
import { memoryUnderTest } from './store-under-test.ts';

describe('the conversation store in memory', () => {
  conversationStoreContract(() => memoryUnderTest());
});
