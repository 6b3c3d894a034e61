import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { vitestOptions } from './test/support/vitest-options.ts';

export default defineConfig(async () => ({
  test: {
    ...(await vitestOptions('test/**/*.test.ts')),
    // Those run with `npm run test:ecs`.
    exclude: ['**/node_modules/**', 'test/support/ecs-emulator/**'],
    // Most tests wait for containers and timers, not for a core.
    maxWorkers: 2 + Math.max(2, availableParallelism()),
  },
}));
