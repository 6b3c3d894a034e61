import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { vitestOptions } from '../support/vitest-options.ts';

// `npm run test:ecs`: the ECS backend and all that conversations can do on it, against the emulator on a real engine.

export default defineConfig(async () => ({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    ...(await vitestOptions('test/ecs/**/*.ecs.ts', 'test/support/ecs-emulator/**/*.test.ts')),
    maxWorkers: 4, // most of it is waiting
    maxConcurrency: 3,
    testTimeout: 180_000,
  },
}));
