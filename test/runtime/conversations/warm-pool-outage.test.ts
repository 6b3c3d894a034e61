import { afterAll, expect, it, vi } from 'vitest';
import { processBackends } from '../../contract/container-backend/process-backends.ts';
import { describeWith, startRedis } from '../../support/services/provided.ts';
import { PoolWorld } from '../pool/pool-world.ts';
import { sharedRedis } from '../pool/shared-states.ts';

describeWith('redis-server', 'a warm pool whose Redis goes and comes back empty', () => {
  const started = startRedis();
  afterAll(async () => (await started).stop());

  it('waits quietly until adoption is over, and is full again', async () => {
    const redis = await started;
    await using world = await PoolWorld.open(await sharedRedis(redis.url), processBackends(undefined));
    const pool = await world.pool();
    await pool.runOnce();
    const lost = await world.untilReady(2);

    await redis.stop();
    await pool.runOnce();
    await redis.start();
    const looks = world.looks;
    const looked = () => pool.runOnce().then(() => world.looks > looks);
    await expect.poll(looked, { timeout: 10_000 }).toBe(true);
    expect(world.creations.begun).toBe(2);
    expect(await world.containers()).toHaveLength(2);

    await vi.waitFor(() => world.adopt(), 10_000); // the connection comes back by itself
    for (const { container } of lost) await world.die(container);
    await pool.runOnce();
    await world.untilReady(2);
    expect([world.creations.begun, world.failures]).toEqual([4, 0]);
  });
});
