import { Redis } from 'ioredis';
import { connectEngine } from '../../images/builder/engine.ts';
import { LABEL } from '../../runtime/contracts/labels.ts';
import { removeContainers } from '../support/remove-containers.ts';
import type { BenchSetting } from './bench-setting.ts';

/** Removes every container and volume of the run, and its keys from the Redis that it shares. */
export async function cleanUp({ dockerHost, installation, redisUrl }: BenchSetting): Promise<void> {
  await removeContainers(dockerHost, installation);
  const engine = connectEngine(dockerHost);
  const label = [`${LABEL.installation}=${installation}`];
  for (const { Name } of (await engine.listVolumes({ filters: { label } })).Volumes)
    await engine.getVolume(Name).remove({ force: true });
  const redis = new Redis(redisUrl);
  try {
    for await (const keys of redis.scanStream({ match: `${installation}:*`, count: 1000 })) {
      if (keys.length > 0) await redis.unlink(...keys);
    }
  } finally {
    redis.disconnect();
  }
}
