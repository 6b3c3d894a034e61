import { vi } from 'vitest';
import { ecsVolumes } from '../contract/volume-backend/ecs-volumes.ts';
import { volumeBackendContract } from '../contract/volume-backend/volume-backend.contract.ts';
import { describeWith } from '../support/services/provided.ts';

// Most tests start a dozen tasks, one after the other.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

describeWith(
  ['docker', 'workspace-base-image', 'proxy-sidecar-image', 'workspace-editor-image'],
  'the volumes of the ecs backend',
  () => {
    volumeBackendContract(ecsVolumes);
  },
);
