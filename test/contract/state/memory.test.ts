import { describe } from 'vitest';
import { stateContract } from './state.contract.ts';
import { memoryUnderTest } from './state-under-test.ts';

describe('the state in memory', () => {
  stateContract(() => memoryUnderTest());
});
