import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { vitestOptions } from '../support/vitest-options.ts';
import { ALLOWED_FOLDER } from './runtime-access.ts';

// `npm run test:ecs`: the ECS backend and conversations on it, against the emulator on a real engine. Faults of what is
// around it (`test/faults/ecs*.fault.ts`) run with `npm run test:faults`.

const LAST = 'test/ecs/least-privilege.ecs.ts';

export default defineConfig(async () => {
  const { include, env, ...options } = await vitestOptions(
    'test/ecs/**/*.ecs.ts',
    'test/support/ecs-emulator/**/*.test.ts',
  );
  const folder = mkdtempSync(join(process.env.TEST_RUN_FOLDER ?? tmpdir(), 'berth-ecs-allowed-'));
  const inTurn = (name: string, groupOrder: number, which: { include: string[]; exclude: string[] }) => ({
    extends: true as const,
    test: { name, sequence: { groupOrder }, ...which },
  });
  return {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    test: {
      ...options,
      env: { ...env, [ALLOWED_FOLDER]: folder },
      maxWorkers: 4, // most of it is waiting
      maxConcurrency: 3,
      testTimeout: 300_000,
      projects: [
        inTurn('ecs', 0, { include, exclude: ['**/node_modules/**', LAST] }),
        inTurn('ecs at last', 1, { include: [LAST], exclude: ['**/node_modules/**'] }),
      ],
    },
  };
});
