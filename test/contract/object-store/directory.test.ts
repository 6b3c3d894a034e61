import { describe } from 'vitest';
import { objectStoreContract } from './object-store.contract.ts';
import { directoryUnderTest } from './store-under-test.ts';

describe('the object store in a directory', () => {
  objectStoreContract(directoryUnderTest);
});
