import { bubblewrap, describeWith } from '../../support/services/provided.ts';
import { containerBackendContract } from './container-backend-contract.ts';
import { processBackends } from './process-backends.ts';

describeWith('bubblewrap', 'the process backend under bwrap', () => {
  containerBackendContract(() => processBackends(bubblewrap().path));
});
