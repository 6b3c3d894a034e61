import { describe } from 'vitest';
import { processApps } from '../apps/process-apps.ts';
import { workersContract } from './workers-contract.ts';

describe('workers of the process backend without bwrap', () => {
  workersContract(() => processApps(undefined));
});
