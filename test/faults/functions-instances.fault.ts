import { setTimeout as sleep } from 'node:timers/promises';
import { it } from 'vitest';
import { eventually } from '../support/cluster.ts';
import { FUNCTION_SERVICES, FunctionCluster } from '../support/function-cluster.ts';
import { must } from '../support/must.ts';
import { describeWith } from '../support/services/provided.ts';

/** Tells how many calls it had at once when this one began. */
const OVERLAPS = `let running = 0;
  export default async ({ ms = 0 }) => {
    running += 1;
    console.log('begun');
    const atOnce = running;
    await new Promise((resolve) => setTimeout(resolve, ms));
    running -= 1;
    return { atOnce };
  }`;
const FOREVER = { ms: 600_000 };

describeWith(FUNCTION_SERVICES, 'two instances', () => {
  it.concurrent('one killed: what it held is ended, what it left idle is used, and its places are free', async ({
    expect,
  }) => {
    await using here = await FunctionCluster.open();
    const [one, two] = [await here.cluster.start(), await here.cluster.start()];
    const ofOne = await here.define(one, OVERLAPS, { max_capacity: 2 }, { timeout_seconds: 900 });
    const ofTwo = ofOne.at(two);
    const cut = ofOne.call(FOREVER).catch(() => 'cut');
    await eventually(async () => expect((await ofTwo.pool()).busy).toBe(1));
    const [held] = await here.workers(ofOne.name);
    const { worker: idle } = await ofOne.call();
    await eventually(async () => expect((await ofTwo.pool()).idle).toBe(1)); // its answer comes before
    one.child.kill('SIGKILL');
    expect(await cut).toBe('cut');
    expect(await ofTwo.call()).toMatchObject({ status: 200, worker: idle, cold: false });
    await eventually(async () => expect((await here.workers()).map(({ id }) => id)).toEqual([idle]), 40);
    const gone = new AbortController();
    const long = ofTwo.call(FOREVER, { signal: gone.signal }).catch(() => 'left');
    await eventually(async () => expect((await ofTwo.pool()).busy).toBe(1));
    const second = await ofTwo.call();
    expect(second).toMatchObject({ status: 200, cold: true });
    expect([idle, held?.id]).not.toContain(second.worker);
    gone.abort();
    expect(await long).toBe('left');
  });

  it.concurrent("one frozen for long, and back: nothing it does then touches what is the other's", async ({
    expect,
  }) => {
    await using here = await FunctionCluster.open();
    const [one, two] = [await here.cluster.start(), await here.cluster.start()];
    const ofOne = await here.define(one, OVERLAPS, { max_capacity: 1 }, { timeout_seconds: 900 });
    const ofTwo = ofOne.at(two);
    const lost = ofOne.call(FOREVER);
    // Frozen before it is at its worker, the call would be made at another, as it should.
    await eventually(async () => {
      const held = must((await here.workers(ofOne.name))[0]);
      const said = await here.engine.getContainer(held.id).logs({ stdout: true });
      expect(String(said)).toContain('begun');
    });
    one.child.kill('SIGSTOP');
    const first = await eventually(async () => {
      const answer = await ofTwo.call();
      expect(answer.status).toBe(200);
      return answer;
    }, 90);
    const long = ofTwo.call({ ms: 6_000 });
    await eventually(async () => expect((await ofTwo.pool()).busy).toBe(1));
    one.child.kill('SIGCONT');
    expect(await lost).toMatchObject({ status: 502, json: { code: 'WORKER_FAILED' } });
    const queued = ofOne.call();
    expect(await long).toMatchObject({ status: 200, json: { atOnce: 1 }, worker: first.worker });
    expect(await queued).toMatchObject({ status: 200, json: { atOnce: 1 }, worker: first.worker });
    expect((await here.workers()).map(({ id }) => id)).toEqual([first.worker]);
  });

  it.concurrent('one frozen before it makes a worker whose place it has, and back: it is over soon', async ({
    expect,
  }) => {
    await using here = await FunctionCluster.open();
    const one = await here.cluster.start({}, { at: 'worker.reserved', do: 'freeze' });
    const two = await here.cluster.start();
    const ofOne = await here.define(one, OVERLAPS, { max_capacity: 1, acquire_timeout: 120 });
    const ofTwo = ofOne.at(two);
    const late = ofOne.call();
    await eventually(() => expect(one.output).toContain('fault: freeze at worker.reserved'));
    const { worker } = await eventually(async () => {
      const answer = await ofTwo.call();
      expect(answer.status).toBe(200);
      return answer;
    }, 90);
    one.child.kill('SIGCONT');
    expect(await late).toMatchObject({ status: 200, json: { atOnce: 1 } });
    await eventually(async () => {
      expect((await here.workers()).map(({ id }) => id)).toEqual([worker]);
      expect(await ofTwo.pool()).toMatchObject({ total_workers: 1, idle: 1 });
    });
  });

  it.concurrent('both frozen for long, as on a machine that sleeps: calls under way are answered', async ({
    expect,
  }) => {
    await using here = await FunctionCluster.open();
    const both = [await here.cluster.start(), await here.cluster.start()] as const;
    const ofOne = await here.define(both[0], OVERLAPS, { max_capacity: 2 }, { timeout_seconds: 900 });
    const calls = both.map((each) => ofOne.at(each).call({ ms: 25_000 }));
    await eventually(async () => expect((await ofOne.pool()).busy).toBe(2));
    for (const { child } of both) child.kill('SIGSTOP');
    await sleep(17_000);
    for (const { child } of both) child.kill('SIGCONT');
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200]);
    await eventually(async () => expect(await ofOne.pool()).toMatchObject({ total_workers: 2, idle: 2 }));
  });

  it.concurrent('200 calls over both: never more workers than the maximum, never two calls in one', async ({
    expect,
  }) => {
    await using here = await FunctionCluster.open();
    const [one, two] = [await here.cluster.start(), await here.cluster.start()];
    const ofOne = await here.define(one, OVERLAPS, { max_capacity: 3, acquire_timeout: 120 });
    let most = 0;
    let over = false;
    const watch = (async () => {
      for (; !over; await sleep(100)) most = Math.max(most, (await here.workers(ofOne.name)).length);
    })();
    const calls = await Promise.all(
      Array.from({ length: 200 }, (_, i) => (i % 2 === 0 ? ofOne : ofOne.at(two)).call({ ms: i % 40 })),
    );
    over = true;
    await watch;
    for (const { status, json } of calls) {
      if (status === 200) expect(json).toEqual({ atOnce: 1 });
      else expect(json).toMatchObject({ status: 429, code: 'CAPACITY_EXCEEDED' });
    }
    expect(calls.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(190);
    expect(new Set(calls.flatMap(({ worker }) => worker ?? [])).size).toBeLessThanOrEqual(3);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(3);
  });
});
