import { fileURLToPath } from 'node:url';
import { servicesInReach } from './services/services-in-reach.ts';

/** What every suite of this repository runs with. */
export async function vitestOptions(...include: string[]) {
  return {
    include,
    env: await servicesInReach(),
    pool: 'forks' as const,
    setupFiles: [fileURLToPath(new URL('./patience.ts', import.meta.url))],
    // Longer than any wait in it: a test that hangs is told apart from a machine that is busy.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    watch: false,
    reporters: ['default', './test/support/count-results.ts'],
  };
}
