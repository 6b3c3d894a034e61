import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openRedisState } from '../../../runtime/state/redis/open-redis-state.ts';
import { workspace } from '../../contract/state/names.ts';
import { CuttableRelay } from '../../support/cuttable-relay.ts';
import type { PrivateRedis } from '../../support/services/private-redis.ts';
import { describeWith, startRedis } from '../../support/services/provided.ts';

describeWith('redis-server', 'activity in Redis', () => {
  let redis: PrivateRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  const open = (url = redis.url, keyPrefix = `${randomUUID()}:`) =>
    openRedisState({ url, keyPrefix, maxLifetimeSeconds: 3_600 });

  it('lies under the prefix, in keys that go by themselves', async () => {
    const keyPrefix = `${randomUUID()}:`;
    const { activity, close } = open(redis.url, keyPrefix);
    const client = new Redis(redis.url);
    await activity.connect(workspace('one'), 'a');
    await activity.disconnect(workspace('two'), 'b', 60);
    await activity.useOnce('link', 60);

    const keys = await client.keys(`${keyPrefix}*`);
    expect(keys.sort()).toEqual(
      ['idle_timer:two', 'workspace:once:link', 'ws_conn:one'].map((key) => keyPrefix + key),
    );
    for (const key of keys) expect(await client.pttl(key)).toBeGreaterThan(0);
    client.disconnect();
    await close();
  });

  it('passes hints between instances, and makes up for those that a lost connection missed', async () => {
    await using relay = await CuttableRelay.open({ host: '127.0.0.1', port: redis.port });
    const keyPrefix = `${randomUUID()}:`;
    const far = open(`redis://127.0.0.1:${relay.port}`, keyPrefix);
    const near = open(redis.url, keyPrefix);
    const heard = vi.fn();
    far.activity.onHint(heard);
    await vi.waitFor(() => {
      near.activity.hint();
      expect(heard).toHaveBeenCalled();
    });

    relay.cut();
    near.activity.hint();
    heard.mockClear();
    relay.restore();
    await vi.waitFor(() => expect(heard).toHaveBeenCalled(), { timeout: 10_000 });
    await Promise.all([far.close(), near.close()]);
  });

  it('costs no connection where nobody listens, and none waits for one that is away', async () => {
    await using relay = await CuttableRelay.open({ host: '127.0.0.1', port: redis.port });
    const { activity, close } = open(`redis://127.0.0.1:${relay.port}`);
    await activity.connect(workspace('one'), 'a');
    activity.hint();
    expect(relay.connections).toBe(1);

    relay.cut();
    activity.hint();
    await expect(activity.connect(workspace('one'), 'a')).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
    await close();
  });
});
