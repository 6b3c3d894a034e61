import { describe } from 'vitest';
import { processVolumes } from './process-volumes.ts';
import { volumeBackendContract } from './volume-backend.contract.ts';

describe('the volumes of the process backend without bwrap', () => {
  volumeBackendContract(() => processVolumes(undefined));
});
