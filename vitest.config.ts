import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { servicesInReach } from './test/support/services/services-in-reach.ts';

export default defineConfig(async () => ({
  test: {
    include: ['test/**/*.test.ts'],
    env: await servicesInReach(),
    pool: 'forks',
    // Most tests wait for containers and timers, not for a core.
    maxWorkers: Math.max(2, availableParallelism()),
    testTimeout: 30_000,
    hookTimeout: 60_000,
    watch: false,
    reporters: ['default', './test/support/count-results.ts'],
  },
}));
