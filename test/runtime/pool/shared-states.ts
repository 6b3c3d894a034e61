import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { openMemoryState } from '../../../runtime/state/memory/open-memory-state.ts';
import { openRedisState } from '../../../runtime/state/redis/open-redis-state.ts';
import { ManualClock } from '../../contract/state/manual-clock.ts';
import type { SharedState } from './pool-world.ts';

export async function sharedMemory(): Promise<SharedState> {
  const clock = new ManualClock();
  const state = openMemoryState({ clock });
  return { clock, open: async () => state, [Symbol.asyncDispose]: async () => undefined };
}

/** A keyspace of its own; every instance has a connection of its own. */
export async function sharedRedis(url: string): Promise<SharedState> {
  const clock = new ManualClock();
  const keyPrefix = `{test-${randomBytes(6).toString('hex')}}:`;
  const open = async () => openRedisState({ url, keyPrefix, maxLifetimeSeconds: 3600, testClock: clock });
  const first = await open();
  const life = await first.adoption.needed();
  if (life !== undefined) await first.adoption.complete(life);
  await first.close();
  return {
    clock,
    open,
    async [Symbol.asyncDispose]() {
      const client = new Redis(url);
      const keys = await client.keys(`${keyPrefix}*`);
      if (keys.length > 0) await client.del(...keys);
      client.disconnect();
    },
  };
}
