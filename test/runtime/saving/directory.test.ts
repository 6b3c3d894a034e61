import { describe } from 'vitest';
import { directoryUnderTest } from '../../contract/object-store/store-under-test.ts';
import { savingContract } from './saving.contract.ts';

describe('saving to a directory', () => savingContract(directoryUnderTest));
