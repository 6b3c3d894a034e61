import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { type ExpectStatic, it } from 'vitest';
import { eventually } from '../support/cluster.ts';
import { CuttableRelay } from '../support/cuttable-relay.ts';
import type { HeldCall } from '../support/function-calls.ts';
import { FUNCTION_SERVICES, FunctionCluster } from '../support/function-cluster.ts';
import { describeWith, startRedis } from '../support/services/provided.ts';

const SLEEPS = `export default async ({ ms = 0 }) => {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return { slept: ms };
}`;
/** Longer than an instance may be silent. */
const OUTAGE_MS = 17_000;

/** Lets calls come to their end, which is a good one. */
async function end(calls: HeldCall[], expect: ExpectStatic): Promise<void> {
  await Promise.all(calls.map((each) => each.letGo()));
  const answers = await Promise.all(calls.map(({ answer }) => answer));
  expect(answers.map(({ status }) => status)).toEqual(calls.map(() => 200));
}

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
    const hold = () => [ofOne.hold(), ofTwo.hold()];
    const [short, long] = [hold(), hold()];
    await eventually(async () => expect((await ofOne.pool()).busy).toBe(4));
    const workers = (await here.workers()).map(({ id }) => id).toSorted();

    relay.cut();
    expect(await ofOne.call()).toMatchObject({ status: 503, json: { code: 'STORE_UNAVAILABLE' } });
    await end(short, expect);
    await sleep(OUTAGE_MS);
    relay.restore();
    await end(long, expect);
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
    const long = [ofOne.hold(), ofTwo.hold()];
    await eventually(async () => expect((await ofOne.pool()).busy).toBe(2));
    const { worker: idle } = await ofOne.call();
    expect(await here.workers()).toHaveLength(3);

    const client = new Redis(redis.url);
    await client.flushall();
    client.disconnect();
    // Within a beat of each, the store knows of the two that are held.
    await eventually(async () => expect((await ofOne.pool()).busy).toBe(2));
    await eventually(async () => {
      const known = await ofOne.pool();
      expect(known.total_workers).toBe((await here.workers()).length);
      expect(known).toMatchObject({ total_workers: 3, busy: 2, idle: 1 });
    });
    expect(await ofTwo.call()).toMatchObject({ status: 200, worker: idle });
    await end(long, expect);
    await eventually(async () => expect(await ofOne.pool()).toMatchObject({ total_workers: 3, idle: 3 }));
    expect(await here.workers()).toHaveLength(3);
    await redis.stop();
  });
});
