import { describe } from 'vitest';
import { containerBackendContract } from './container-backend-contract.ts';
import { processBackends } from './process-backends.ts';

describe('the process backend without bwrap', () => {
  containerBackendContract(() => processBackends(undefined));
});
