import { bubblewrap, describeWith } from '../../support/services/provided.ts';
import { processVolumes } from './process-volumes.ts';
import { volumeBackendContract } from './volume-backend.contract.ts';

describeWith('bubblewrap', 'the volumes of the process backend with bwrap', () => {
  volumeBackendContract(() => processVolumes(bubblewrap().path));
});
