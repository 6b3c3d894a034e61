import { servicesInReach } from './services/services-in-reach.ts';

/** What every suite of this repository runs with. */
export async function vitestOptions(...include: string[]) {
  return {
    include,
    env: await servicesInReach(),
    pool: 'forks' as const,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    watch: false,
    reporters: ['default', './test/support/count-results.ts'],
  };
}
