import type { ConversationStore } from '../../../runtime/state/conversation-store.ts';
import { MemoryConversationStore } from '../../../runtime/state/memory/memory-conversation-store.ts';
import { MemoryState } from '../../../runtime/state/memory/memory-state.ts';
import { RedisConversationStore } from '../../../runtime/state/redis/redis-conversation-store.ts';
import { ManualClock } from './manual-clock.ts';
import { RedisKeyspace } from './redis-keyspace.ts';
import { dumpMemory, type StateDump } from './state-dump.ts';

/** An empty store with a clock that stands still. */
export interface StoreUnderTest extends AsyncDisposable {
  store: ConversationStore;
  clock: ManualClock;
  /** Everything it holds, in one form for all adapters. */
  dump(): Promise<StateDump>;
}

/** Gives each test a store of its own. */
export type OpenStore = () => Promise<StoreUnderTest>;

export async function memoryUnderTest(clock = new ManualClock()): Promise<StoreUnderTest> {
  const state = new MemoryState();
  const store = new MemoryConversationStore({ clock, state });
  return { store, clock, dump: async () => dumpMemory(state), [Symbol.asyncDispose]: () => store.close() };
}

export async function redisUnderTest(url: string, clock = new ManualClock()): Promise<StoreUnderTest> {
  const keyspace = new RedisKeyspace(url);
  const store = new RedisConversationStore({
    url,
    keyPrefix: keyspace.prefix,
    maxLifetimeSeconds: 3_600,
    testClock: clock,
  });
  return {
    store,
    clock,
    dump: () => keyspace.dump(),
    async [Symbol.asyncDispose]() {
      await store.close();
      await keyspace.remove();
    },
  };
}
