import { describeWith } from '../../support/services/provided.ts';
import { dockerVolumes } from './docker-volumes.ts';
import { volumeBackendContract } from './volume-backend.contract.ts';

describeWith(['docker', 'workspace-base-image'], 'the volumes of the docker backend', () => {
  volumeBackendContract(dockerVolumes);
});
