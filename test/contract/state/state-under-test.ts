import type { ConversationStore } from '../../../runtime/state/conversation-store.ts';
import { MemoryState } from '../../../runtime/state/memory/memory-state.ts';
import { openMemoryState } from '../../../runtime/state/memory/open-memory-state.ts';
import { openRedisState } from '../../../runtime/state/redis/open-redis-state.ts';
import type { State } from '../../../runtime/state/state.ts';
import { ManualClock } from './manual-clock.ts';
import { RedisKeyspace } from './redis-keyspace.ts';
import { dumpMemory, type StateDump } from './state-dump.ts';
import { dumpMemoryWorkers, dumpRedisWorkers, type WorkersDump } from './workers/workers-dump.ts';

/** An empty state with a clock that stands still. */
export interface StateUnderTest extends AsyncDisposable {
  state: State;
  /** The part of it that most tests are about. */
  store: ConversationStore;
  clock: ManualClock;
  /** Everything it holds, in one form for all adapters. */
  dump(): Promise<StateDump>;
  /** The same of functions' workers. */
  dumpWorkers(): Promise<WorkersDump>;
  /** As if the store had been emptied. */
  loseWorkers(): Promise<void>;
}

/** Gives each test a state of its own. */
export type OpenState = () => Promise<StateUnderTest>;

export async function memoryUnderTest(clock = new ManualClock()): Promise<StateUnderTest> {
  const inMemory = new MemoryState();
  const state = openMemoryState({ clock, state: inMemory });
  return {
    state,
    store: state.conversations,
    clock,
    dump: async () => dumpMemory(inMemory, clock.now()),
    dumpWorkers: async () => dumpMemoryWorkers(inMemory.workers, clock.now()),
    async loseWorkers() {
      const { all, leases, instances, waiting } = inMemory.workers;
      for (const known of [all, leases, instances, waiting]) known.clear();
    },
    [Symbol.asyncDispose]: () => state.close(),
  };
}

export async function redisUnderTest(url: string, clock = new ManualClock()): Promise<StateUnderTest> {
  const keyspace = new RedisKeyspace(url);
  const state = openRedisState({
    url,
    keyPrefix: keyspace.prefix,
    maxLifetimeSeconds: 3_600,
    testClock: clock,
  });
  await adoptNothing(state);
  return {
    state,
    store: state.conversations,
    clock,
    dump: () => keyspace.dump(clock.now()),
    dumpWorkers: async () => dumpRedisWorkers(keyspace.prefix, await keyspace.values(), clock.now()),
    async loseWorkers() {
      await keyspace.clear();
      await adoptNothing(state);
    },
    async [Symbol.asyncDispose]() {
      await state.close();
      await keyspace.remove();
    },
  };
}

/** What an installation without containers does first. */
export async function adoptNothing({ adoption }: State): Promise<void> {
  const life = await adoption.needed();
  if (life !== undefined) await adoption.complete(life);
}
