import type { State } from '../state.ts';
import { loadScripts, loadWorkerScripts } from './lua-scripts.ts';
import { RedisActivityStore } from './redis-activity-store.ts';
import { RedisAdoptionStore } from './redis-adoption-store.ts';
import { RedisConnection, type RedisConnectionOptions } from './redis-connection.ts';
import { RedisConversationStore } from './redis-conversation-store.ts';
import { RedisEgressSettingsStore } from './redis-egress-settings-store.ts';
import { RedisExecutionStore } from './redis-execution-store.ts';
import { RedisHints } from './redis-hints.ts';
import {
  egressSettingsStem,
  hintChannel,
  redisKeys,
  scriptKeys,
  taskStems,
  workerKeys,
  workerScriptKeys,
} from './redis-keys.ts';
import { RedisLeaseStore } from './redis-lease-store.ts';
import { RedisTaskStore } from './redis-task-store.ts';
import { RedisWarmPoolStore } from './redis-warm-pool-store.ts';
import { RedisWorkerStore } from './redis-worker-store.ts';
import { ScriptRunner, type StoreClock } from './script-runner.ts';
import { StreamWaits } from './stream-waits.ts';

export interface RedisStateOptions extends RedisConnectionOptions, StoreClock {
  /** A record's key goes by itself twice this long after the last write, should all else fail. */
  maxLifetimeSeconds: number;
}

/** The state in Redis, over one connection; a second one blocks where someone waits for events, two more hear hints. */
export function openRedisState(options: RedisStateOptions): State {
  const { url, keyPrefix = '', maxLifetimeSeconds } = options;
  const keys = redisKeys(keyPrefix);
  const connection = new RedisConnection(options);
  const scripts = new ScriptRunner({
    connection,
    scripts: loadScripts(),
    keys: scriptKeys(keys),
    clock: options,
  });
  const ofWorkers = workerKeys(keyPrefix);
  const workerScripts = new ScriptRunner({
    connection,
    scripts: loadWorkerScripts(),
    keys: workerScriptKeys(ofWorkers),
    clock: options,
  });
  const waits = new StreamWaits({ url, keyPrefix, connection });
  const hints = new RedisHints({ url, channel: hintChannel(keyPrefix), connection });
  const freed = new RedisHints({ url, channel: ofWorkers.freed, connection });
  const conversations = new RedisConversationStore({ connection, scripts, maxLifetimeSeconds });
  return {
    conversations,
    executions: new RedisExecutionStore({ scripts, waits, eventsStem: keys.events }),
    warmPool: new RedisWarmPoolStore(scripts),
    adoption: new RedisAdoptionStore(scripts),
    leases: new RedisLeaseStore(scripts),
    egressSettings: new RedisEgressSettingsStore(connection, egressSettingsStem(keyPrefix)),
    tasks: new RedisTaskStore(connection, taskStems(keyPrefix), maxLifetimeSeconds),
    activity: new RedisActivityStore(scripts, hints),
    workers: new RedisWorkerStore(workerScripts, freed),
    ping: () => conversations.ping(),
    async close() {
      waits.close();
      hints.close();
      freed.close();
      await conversations.close();
    },
  };
}
