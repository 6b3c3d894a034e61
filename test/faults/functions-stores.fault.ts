import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { it } from 'vitest';
import { eventually } from '../support/cluster.ts';
import { CuttableRelay } from '../support/cuttable-relay.ts';
import { FUNCTION_SERVICES, FunctionCluster } from '../support/function-cluster.ts';
import { describeWith, startRedis } from '../support/services/provided.ts';

const SLEEPS = `export default async ({ ms = 0 }) => {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return { slept: ms };
}`;
/** Longer than an instance may be silent. */
const OUTAGE_MS = 17_000;

describeWith([...FUNCTION_SERVICES, 'redis-server'], 'when Redis', () => {
  it.concurrent('is away for a while: calls under way are answered, and their workers used again', async ({
    expect,
  }) => {
    const redis = await startRedis();
    await using relay = await CuttableRelay.open({ host: '127.0.0.1', port: redis.port });
    await using here = await FunctionCluster.open({}, `redis://127.0.0.1:${relay.port}`);
    const [one, two] = [await here.cluster.start(), await here.cluster.start()];
    const ofOne = await here.define(one, SLEEPS, { max_capacity: 4 });
    const ofTwo = ofOne.at(two);
    await here.warm(ofOne, 4);
    const long = [OUTAGE_MS + 8_000, 4_000].flatMap((ms) => [ofOne.call({ ms }), ofTwo.call({ ms })]);
    await eventually(async () => expect((await ofOne.pool()).busy).toBe(4));
    const workers = (await here.workers()).map(({ id }) => id).toSorted();

    relay.cut();
    expect(await ofOne.call()).toMatchObject({ status: 503, json: { code: 'STORE_UNAVAILABLE' } });
    await sleep(OUTAGE_MS);
    relay.restore();
    const answers = await Promise.all(long);
    expect(answers.map(({ status }) => status)).toEqual(Array(4).fill(200));
    await eventually(async () =>
      expect(await ofOne.pool()).toMatchObject({ total_workers: 4, idle: 4, busy: 0 }),
    );
    expect((await here.workers()).map(({ id }) => id).toSorted()).toEqual(workers);
    for (const of of [ofOne, ofTwo]) expect(await of.call()).toMatchObject({ status: 200, cold: false });
    await redis.stop();
  });

  it.concurrent('is emptied: calls under way are answered, the maximum holds again, and no worker stays unknown', async ({
    expect,
  }) => {
    const redis = await startRedis();
    await using here = await FunctionCluster.open({}, redis.url);
    const [one, two] = [await here.cluster.start(), await here.cluster.start()];
    const ofOne = await here.define(one, SLEEPS, { max_capacity: 3 });
    const ofTwo = ofOne.at(two);
    await here.warm(ofOne, 3);
    const long = [ofOne.call({ ms: 20_000 }), ofTwo.call({ ms: 20_000 })];
    await eventually(async () => expect((await ofOne.pool()).busy).toBe(2));
    const { worker: idle } = await ofOne.call();
    expect(await here.workers()).toHaveLength(3);

    const client = new Redis(redis.url);
    await client.flushall();
    client.disconnect();
    // Within a beat of each, the store knows of the two that are held.
    await eventually(async () => expect((await ofOne.pool()).busy).toBe(2), 15);
    await eventually(async () => {
      const known = await ofOne.pool();
      expect(known.total_workers).toBe((await here.workers()).length);
      expect(known).toMatchObject({ total_workers: 3, busy: 2, idle: 1 });
    }, 40);
    expect(await ofTwo.call()).toMatchObject({ status: 200, worker: idle });
    expect((await Promise.all(long)).map(({ status }) => status)).toEqual([200, 200]);
    await eventually(async () => expect(await ofOne.pool()).toMatchObject({ total_workers: 3, idle: 3 }));
    expect(await here.workers()).toHaveLength(3);
    await redis.stop();
  });
});
