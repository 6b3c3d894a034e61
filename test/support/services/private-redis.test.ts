import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { redisAnswers } from './private-redis.ts';
import { describeWith, startRedis } from './provided.ts';

describeWith('redis-server', 'a Redis of a test of its own', () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  it('can be paused and resumed', async () => {
    redis.pause();
    expect(await redisAnswers(redis.url, 200)).toBe(false);
    redis.resume();
    expect(await redisAnswers(redis.url)).toBe(true);
  });

  it('comes back empty at the same address', async () => {
    const client = new Redis(redis.url);
    await client.set('kept', 'no');
    client.disconnect();
    await redis.stop();
    expect(await redisAnswers(redis.url)).toBe(false);
    await redis.start();
    const again = new Redis(redis.url);
    expect(await again.get('kept')).toBeNull();
    again.disconnect();
  });

  it('can be stopped while it is paused', async () => {
    redis.pause();
    await redis.stop();
    expect(await redisAnswers(redis.url)).toBe(false);
    await redis.start();
  });
});
