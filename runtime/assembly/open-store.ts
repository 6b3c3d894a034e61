import type { Logger } from 'pino';
import type { Config } from '../contracts/environment.ts';
import type { ConversationStore } from '../state/conversation-store.ts';

/** Redis where one is configured, else memory. A Redis that is away is waited for behind, not at the start. */
export async function openStore(config: Config, log: Logger): Promise<ConversationStore> {
  if (config.REDIS_URL === undefined) {
    const { MemoryConversationStore } = await import('../state/memory/memory-conversation-store.ts');
    return new MemoryConversationStore();
  }
  const { RedisConversationStore } = await import('../state/redis/redis-conversation-store.ts');
  return new RedisConversationStore({
    url: config.REDIS_URL,
    keyPrefix: config.REDIS_KEY_PREFIX,
    maxLifetimeSeconds: config.CONTAINER_MAX_LIFETIME_SECONDS,
    onError: (error) => log.warn({ problem: error.message }, 'Redis is away'),
  });
}
