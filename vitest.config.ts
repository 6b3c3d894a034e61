import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { vitestOptions } from './test/support/vitest-options.ts';

export default defineConfig(async () => ({
  test: {
    ...(await vitestOptions('test/**/*.test.ts')),
    // Most tests wait for containers and timers, not for a core.
    maxWorkers: 1 + Math.max(2, availableParallelism()),
  },
}));
