import { describe } from 'vitest';
import { appsContract } from './apps-contract.ts';
import { processApps } from './process-apps.ts';

describe('apps of the process backend without bwrap', () => {
  appsContract(() => processApps(undefined));
});
