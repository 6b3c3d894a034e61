import { findOrInstall } from '../../../images/builder/apt.ts';
import { nothingToStop, type Service } from './service.ts';

/** The program: for the run's own Redis, and for tests that start one of their own to stop or pause it. */
export const redisServer: Service = {
  name: 'redis-server',
  neededBy: 'outages of Redis, and the Redis of the run unless TEST_REDIS_URL names one',
  remedy: 'put redis-server (7 or later) on the path',
  async start({ say }) {
    const found = await findOrInstall('redis-server', ['redis-server'], say);
    if ('problem' in found) return { missing: found.problem };
    return { env: { TEST_REDIS_SERVER: found.path }, stop: nothingToStop };
  },
};
