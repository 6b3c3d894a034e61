import { redisAnswers, startPrivateRedis } from './private-redis.ts';
import { nothingToStop, type Service } from './service.ts';

export const redis: Service = {
  name: 'redis',
  neededBy: "the Redis store's tests",
  remedy: 'name a Redis (7 or later) in TEST_REDIS_URL, or put redis-server on the path',
  async start({ env, folder }) {
    const given = env.TEST_REDIS_URL;
    if (given !== undefined && (await redisAnswers(given))) {
      return { env: { TEST_REDIS_URL: given }, stop: nothingToStop };
    }
    if (env.TEST_REDIS_SERVER === undefined) {
      return { missing: given === undefined ? 'no Redis' : 'nothing answers at TEST_REDIS_URL' };
    }
    const redis = await startPrivateRedis(env.TEST_REDIS_SERVER, folder);
    return { env: { TEST_REDIS_URL: redis.url }, stop: redis.stop };
  },
};
