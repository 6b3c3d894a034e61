import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { eventually } from '../support/cluster.ts';
import { FUNCTION_SERVICES, FunctionCluster } from '../support/function-cluster.ts';
import { describeWith } from '../support/services/provided.ts';

const COUNTS = `let calls = 0;
  export default () => { calls += 1; return { calls }; }`;

describeWith(FUNCTION_SERVICES, 'a worker that nobody calls', () => {
  it('is paused, runs again for a call, and never answers late because it was being paused', async () => {
    await using here = await FunctionCluster.open({
      ENABLE_CONTAINER_PAUSE: 'true',
      PAUSE_IDLE_SECONDS: '1',
      HEARTBEAT_INTERVAL: '0.2',
    });
    const [one, two] = [await here.cluster.start(), await here.cluster.start()];
    const counts = await here.define(one, COUNTS, { max_capacity: 1 });
    const { worker } = await counts.call();
    const states = async () => (await here.workers()).map(({ id, state }) => ({ id, state }));
    await eventually(async () => expect(await states()).toEqual([{ id: worker, state: 'paused' }]));
    await eventually(async () => expect((await counts.pool()).paused).toBe(1));
    expect(await counts.at(two).call()).toMatchObject({
      status: 200,
      json: { calls: 2 },
      worker,
      cold: false,
    });

    // Calls come about when it is to be paused, before, meanwhile and after.
    for (let calls = 3; calls < 15; calls += 1) {
      await sleep(700 + calls * 60);
      const of = calls % 2 === 0 ? counts : counts.at(two);
      expect(await of.call()).toMatchObject({ status: 200, json: { calls }, worker });
    }

    await eventually(async () => expect(await states()).toEqual([{ id: worker, state: 'paused' }]));
    await counts.put({
      image: ((await (await counts.get()).json()) as { image: string }).image,
      env: { HANDLER_SOURCE: COUNTS },
      scaling: { max_capacity: 1, idle_timeout: 3 },
    });
    await eventually(async () => expect(await here.workers()).toEqual([]));
    expect(await counts.call()).toMatchObject({ status: 200, json: { calls: 1 }, cold: true });
  });
});
