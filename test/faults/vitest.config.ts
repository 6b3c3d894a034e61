import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { vitestOptions } from '../support/vitest-options.ts';

// `npm run test:faults`: the real runtime is killed, frozen and cut off, on a real engine and a real Redis.

export default defineConfig(async () => ({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    ...(await vitestOptions('test/faults/**/*.fault.ts')),
    maxWorkers: 2,
    maxConcurrency: 3,
    testTimeout: 300_000,
  },
}));
