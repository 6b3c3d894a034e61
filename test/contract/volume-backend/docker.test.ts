import { vi } from 'vitest';
import { describeWith } from '../../support/services/provided.ts';
import { dockerVolumes } from './docker-volumes.ts';
import { volumeBackendContract } from './volume-backend.contract.ts';

// Most tests start a dozen containers, one after the other.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

describeWith(['docker', 'workspace-base-image'], 'the volumes of the docker backend', () => {
  volumeBackendContract(dockerVolumes);
});
