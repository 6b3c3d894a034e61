import { bubblewrap, describeWith } from '../../../support/services/provided.ts';
import { processApps } from '../apps/process-apps.ts';
import { workersContract } from './workers-contract.ts';

describeWith('bubblewrap', 'workers of the process backend under bwrap', () => {
  workersContract(() => processApps(bubblewrap().path));
});
