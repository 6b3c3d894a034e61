import { dockerVolumes } from '../contract/volume-backend/docker-volumes.ts';
import { processVolumes } from '../contract/volume-backend/process-volumes.ts';
import { volumeHarmContract } from '../contract/volume-backend/volume-backend.contract.ts';
import { bubblewrap, describeWith } from '../support/services/provided.ts';

describeWith(
  ['docker', 'workspace-base-image'],
  'the volumes of the docker backend, when something goes wrong',
  () => {
    volumeHarmContract(dockerVolumes);
  },
);

describeWith('bubblewrap', 'the volumes of the process backend with bwrap, when something goes wrong', () => {
  volumeHarmContract(() => processVolumes(bubblewrap().path));
});
