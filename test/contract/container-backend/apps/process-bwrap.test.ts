import { bubblewrap, describeWith } from '../../../support/services/provided.ts';
import { appsContract } from './apps-contract.ts';
import { processApps } from './process-apps.ts';

describeWith('bubblewrap', 'apps of the process backend under bwrap', () => {
  appsContract(() => processApps(bubblewrap().path));
});
