import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProcessBackend } from '../../runtime/containers/process/process-backend.ts';
import { parseTenantId } from '../../runtime/contracts/ids.ts';
import { openRedisState } from '../../runtime/state/redis/open-redis-state.ts';
import { conversationParts } from '../support/conversation-parts.ts';
import { must } from '../support/must.ts';
import { addRecords } from './add-records.ts';
import type { BenchSetting } from './bench-setting.ts';
import { CountingRedis } from './counting-redis.ts';
import type { Figure } from './figure.ts';

const FEW = 100;
const MANY = 10_000;
const DUE = 100;
const HOUR_MS = 3_600_000;
const tenant = must(parseTenantId('bench'));

/** A cycle of the expiry over 10,000 live records, against one over 100: none due, and 100 due in both. */
export async function expiryCycle(setting: BenchSetting): Promise<Figure[]> {
  await using redis = await CountingRedis.start(setting);
  const few = await cyclesOver(FEW, redis);
  const many = await cyclesOver(MANY, redis);
  return [
    {
      name: 'calls to Redis of an expiry cycle over 10,000 records, none due',
      unit: 'calls',
      ours: many.idle,
      reference: { name: 'over 100 records', value: few.idle },
      goal: 1,
    },
    {
      name: 'calls to Redis of an expiry cycle over 10,100 records, 100 due',
      unit: 'calls',
      ours: many.due,
      reference: { name: 'over 200 records, 100 due', value: few.due },
      goal: 1.05,
    },
  ];
}

/** Over so many records that are not due, and then over them and `DUE` that are. */
async function cyclesOver(records: number, redis: CountingRedis): Promise<{ idle: number; due: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-bench-'));
  const clock = { time: Date.now(), now: () => clock.time };
  const keyPrefix = `${randomBytes(4).toString('hex')}:`;
  const state = openRedisState({ url: redis.url, keyPrefix, maxLifetimeSeconds: 86_400, testClock: clock });
  const backend = emptyBackend(folder);
  try {
    const { expiry, settings, adoption } = await conversationParts({
      backend,
      folder,
      state,
      env: { CONTAINER_MANAGER_TYPE: 'process', CONTAINER_TTL_SECONDS: '3600', MAX_CONTAINERS: '100000' },
    });
    await adoption.run();
    const add = (count: number) => addRecords(state, tenant, count, settings);
    await add(DUE);
    clock.time += HOUR_MS / 2;
    await add(records);
    await expiry.runOnce(); // scripts are known to the server from now on
    const idle = await redis.callsOf(() => expiry.runOnce());
    clock.time += HOUR_MS / 2; // the first have idled for an hour now
    const due = await redis.callsOf(() => expiry.runOnce());
    const { live, reserved } = await state.conversations.count();
    if (live !== records || reserved !== 0)
      throw new Error(`of ${records} that were not due ${live} live on, and ${reserved} are reserved`);
    return { idle, due };
  } finally {
    await state.close();
    await backend.close();
    rmSync(folder, { recursive: true });
  }
}

function emptyBackend(folder: string): ProcessBackend {
  return new ProcessBackend({
    installation: 'bench',
    version: '0',
    dataDir: folder,
    socketBasePath: join(folder, 's'),
    agentEntry: '/nowhere',
    nodePath: process.execPath,
  });
}
