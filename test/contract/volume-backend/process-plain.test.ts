import { describe } from 'vitest';
import { processVolumes } from './process-volumes.ts';
import { volumeBackendContract, volumeHarmContract } from './volume-backend.contract.ts';

describe('the volumes of the process backend without bwrap', () => {
  volumeBackendContract(() => processVolumes(undefined));
});

describe('the volumes of the process backend without bwrap, when something goes wrong', () => {
  volumeHarmContract(() => processVolumes(undefined));
});
