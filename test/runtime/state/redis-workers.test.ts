import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openRedisState } from '../../../runtime/state/redis/open-redis-state.ts';
import { worker } from '../../contract/state/names.ts';
import { WorkerScenario } from '../../contract/state/workers/worker-scenario.ts';
import { CuttableRelay } from '../../support/cuttable-relay.ts';
import type { PrivateRedis } from '../../support/services/private-redis.ts';
import { describeWith, startRedis } from '../../support/services/provided.ts';

describeWith('redis-server', 'workers in Redis', () => {
  let redis: PrivateRedis;
  let client: Redis;
  beforeAll(async () => {
    redis = await startRedis();
    client = new Redis(redis.url);
  });
  afterAll(async () => {
    client.disconnect();
    await redis.stop();
  });

  function open(url = redis.url, keyPrefix = `${randomUUID()}:`) {
    const state = openRedisState({ url, keyPrefix, maxLifetimeSeconds: 3_600 });
    const keys = async () => (await client.keys(`${keyPrefix}*`)).map((key) => key.slice(keyPrefix.length));
    return { ...state, scenario: new WorkerScenario(state.workers), keys };
  }

  it('lie under the prefix, and leave nothing when the last is gone', async () => {
    const { workers, scenario, keys, close } = open();
    await scenario.idle([1, 2, 3]);
    await scenario.park(1);
    await scenario.leased();
    await workers.beat('i1', [scenario.held(3, 'busy')]);
    await scenario.reserve(4);
    await workers.evict(worker(4), 'make-4');
    expect((await keys()).sort()).toEqual([
      ...['fn:idle:acme:f', 'fn:instances', 'fn:leases', 'fn:paused:acme:f', 'fn:terminating:acme:f'],
      ...[1, 2, 3, 4].map((n) => `fn:worker:${worker(n)}`),
      ...['fn:workers', 'fn:workers:acme:f'],
    ]);

    await workers.evict(worker(3), 'l');
    for (const n of [1, 2]) expect(await scenario.retire(n, { lease: `end-${n}` })).toBe('done');
    for (const n of [1, 2, 3, 4]) await workers.gone(worker(n));
    expect(await keys()).toEqual([]);
    await close();
  });

  it('let the mark of who waits go by itself', async () => {
    const { scenario, keys, close } = open();
    await scenario.acquire();
    expect(await scenario.reserve(1, { total: 0 })).toBe('no-room');
    expect((await keys()).sort()).toEqual(['fn:waiting', 'fn:waiting:acme:f']);
    await vi.waitFor(async () => expect(await keys()).toEqual([]), { timeout: 10_000, interval: 200 });
    await close();
  });

  it('cost a few commands to have and to let go, however many there are', async () => {
    const { scenario, close } = open();
    for (let n = 1; n <= 300; n++) await scenario.idle([n], { max: 1_000, total: 1_000 });
    await scenario.leased();
    await scenario.release(300);

    const commands = async (call: () => Promise<unknown>) => {
      await client.config('RESETSTAT');
      await call();
      const stats = [...(await client.info('commandstats')).matchAll(/^cmdstat_(\S+?):calls=(\d+)/gm)];
      const made = stats.filter(([, name = '']) => !/^(config|info|evalsha)/.test(name));
      return made.reduce((sum, [, , calls]) => sum + Number(calls), 0);
    };
    expect(await commands(() => scenario.leased())).toBeLessThanOrEqual(6);
    expect(await commands(() => scenario.release(300))).toBeLessThanOrEqual(6);
    await close();
  });

  it('are told of between instances, and all of them may be free when a lost connection is back', async () => {
    await using relay = await CuttableRelay.open({ host: '127.0.0.1', port: redis.port });
    const keyPrefix = `${randomUUID()}:`;
    const far = open(`redis://127.0.0.1:${relay.port}`, keyPrefix);
    const near = open(redis.url, keyPrefix);
    const heard = vi.fn();
    far.workers.onFree(heard);
    await vi.waitFor(() => expect(heard).toHaveBeenCalledWith(undefined));
    await near.scenario.acquire();
    await near.scenario.idle([1]);
    await vi.waitFor(() => expect(heard).toHaveBeenLastCalledWith(near.scenario.of()));

    relay.cut();
    heard.mockClear();
    await near.scenario.leased();
    await near.scenario.release(1);
    relay.restore();
    await vi.waitFor(() => expect(heard.mock.calls).toEqual([[undefined]]), { timeout: 10_000 });
    await Promise.all([far.close(), near.close()]);
  });

  it('take their times from the server', async () => {
    const { workers, scenario, close } = open();
    const [began, micros] = await client.time();
    await scenario.idle([1]);
    const { now, workers: all } = await workers.look();
    const before = Number(began) * 1_000 + Math.floor(Number(micros) / 1_000);
    expect(all[0]?.since).toBeGreaterThanOrEqual(before);
    expect(all[0]?.since).toBeLessThanOrEqual(now);
    expect(now - before).toBeLessThan(10_000);
    await close();
  });
});
