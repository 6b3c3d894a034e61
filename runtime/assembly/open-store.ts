import type { Logger } from 'pino';
import type { Config } from '../contracts/environment.ts';
import type { State } from '../state/state.ts';

/** Redis where one is configured, else memory. A Redis that is away is waited for behind, not at the start. */
export async function openState(config: Config, log: Logger): Promise<State> {
  if (config.REDIS_URL === undefined) {
    const { openMemoryState } = await import('../state/memory/open-memory-state.ts');
    return openMemoryState({ adoptFirst: true });
  }
  const { openRedisState } = await import('../state/redis/open-redis-state.ts');
  return openRedisState({
    url: config.REDIS_URL,
    keyPrefix: config.REDIS_KEY_PREFIX,
    maxLifetimeSeconds: config.CONTAINER_MAX_LIFETIME_SECONDS,
    onError: (error) => log.warn({ problem: error.message }, 'Redis is away'),
  });
}
