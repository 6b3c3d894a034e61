import { describeWith } from '../../support/services/provided.ts';
import { objectStoreContract } from './object-store.contract.ts';
import { s3UnderTest } from './store-under-test.ts';

describeWith('s3', 'the object store in S3', () => {
  objectStoreContract(s3UnderTest);
});
