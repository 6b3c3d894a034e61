import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { openRedisState } from '../../../runtime/state/redis/open-redis-state.ts';
import type { State } from '../../../runtime/state/state.ts';
import { StateScenario } from '../../contract/state/state-scenario.ts';
import { adoptNothing } from '../../contract/state/state-under-test.ts';
import { CuttableRelay } from '../../support/cuttable-relay.ts';
import type { PrivateRedis } from '../../support/services/private-redis.ts';
import { describeWith, startRedis } from '../../support/services/provided.ts';

describeWith('redis-server', 'waiting for events in Redis', () => {
  let redis: PrivateRedis;
  let operator: Redis;
  let relay: CuttableRelay;
  let state: State;
  let scenario: StateScenario;
  /** Another instance, whose connection is never cut. */
  let other: State;
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);

  beforeAll(async () => {
    process.on('unhandledRejection', note);
    redis = await startRedis();
    operator = new Redis(redis.url);
  });

  afterAll(async () => {
    operator.disconnect();
    await redis.stop();
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  beforeEach(async () => {
    relay = await CuttableRelay.open({ host: '127.0.0.1', port: redis.port });
    const options = { keyPrefix: `${crypto.randomUUID()}:`, maxLifetimeSeconds: 3_600 };
    state = openRedisState({ ...options, url: `redis://127.0.0.1:${relay.port}` });
    other = openRedisState({ ...options, url: redis.url });
    scenario = new StateScenario(state);
    await adoptNothing(state);
  });

  afterEach(async () => {
    await Promise.all([state.close(), other.close()]);
    await relay[Symbol.asyncDispose]();
  });

  it('takes one more connection for all who wait, and none before', async () => {
    const name = await scenario.executing();
    expect(relay.connections).toBe(1);
    const stop = new AbortController();
    const waits = Array.from({ length: 10 }, () => scenario.changed(name, 0, stop.signal));
    await vi.waitFor(() => expect(relay.connections).toBe(2));
    const more = Array.from({ length: 10 }, () => scenario.changed(name, 0, stop.signal));

    await new StateScenario(other).append(name, ['a']);
    await Promise.all([...waits, ...more]);

    expect(relay.connections).toBe(2);
  });

  it('tells within a moment, also who comes while others wait', async () => {
    const first = await scenario.executing({ conversation: 'first' });
    const second = await scenario.executing({ conversation: 'second' });
    const stop = new AbortController();
    const quiet = scenario.changed(first, 0, stop.signal).catch(() => 'stopped');
    await vi.waitFor(() => expect(relay.connections).toBe(2));

    for (let after = 0; after < 5; after += 1) {
      const wait = scenario.changed(second, after);
      await other.ping();
      const began = performance.now();
      await new StateScenario(other).append(second, ['a'], { after });
      await wait;
      expect(performance.now() - began).toBeLessThan(2_000);
    }
    stop.abort();
    expect(await quiet).toBe('stopped');
  });

  it('ends waits when the connection is cut, not in a busy loop, and waits again when it is back', async () => {
    const name = await scenario.executing();
    const wait = scenario.changed(name, 0);
    await vi.waitFor(() => expect(relay.connections).toBe(2));

    relay.cut();
    await wait;
    const began = performance.now();
    let rounds = 0;
    while (performance.now() - began < 1_200) {
      await scenario.changed(name, 0);
      rounds += 1;
    }
    expect(rounds).toBeLessThan(6);

    relay.restore();
    await vi.waitFor(() => state.ping(), { timeout: 5_000, interval: 50 });
    const told = (async () => {
      while ((await scenario.read(name))?.entries.length === 0) await scenario.changed(name, 0);
    })();
    await vi.waitFor(() => expect(relay.connections).toBe(2), { timeout: 5_000 });
    await new StateScenario(other).append(name, ['a']);
    await told;
  });

  it('misses nothing that came while the connection was away', async () => {
    const name = await scenario.executing();
    const wait = scenario.changed(name, 0);
    await vi.waitFor(() => expect(relay.connections).toBe(2));

    relay.cut();
    await new StateScenario(other).append(name, ['a']);
    await wait;
    relay.restore();
    await vi.waitFor(() => state.ping(), { timeout: 5_000, interval: 50 });

    await scenario.changed(name, 0);
    expect(await scenario.read(name)).toMatchObject({ entries: [{ frames: Buffer.from('a') }] });
  });

  it('ends waits for what is forgotten at once, and in seconds for what someone took away', async () => {
    const name = await scenario.executing({ conversation: 'forgotten' });
    const lost = await scenario.executing({ conversation: 'lost' });
    const waits = [scenario.changed(name, 0), scenario.changed(lost, 0)] as const;
    await vi.waitFor(() => expect(relay.connections).toBe(2));
    const began = performance.now();

    await new StateScenario(other).abandon(name);
    await waits[0];
    expect(performance.now() - began).toBeLessThan(2_000);
    await waits[1];
    expect(performance.now() - began).toBeLessThan(12_000);
  });

  it('ends all waits when the state is closed', async () => {
    const name = await scenario.executing();
    const waits = Array.from({ length: 3 }, () => scenario.changed(name, 0));
    await vi.waitFor(() => expect(relay.connections).toBe(2));

    await state.close();
    await Promise.all(waits);
  });

  it('lets a thousand wait at little cost', async () => {
    const names = await Promise.all(
      Array.from({ length: 1_000 }, (_, i) =>
        scenario.executing({ conversation: `c${i}`, maxContainers: 2_000 }),
      ),
    );
    const stop = new AbortController();
    const [first, second] = [names.slice(0, 100), names.slice(100)];
    const rest = second.map((name) => scenario.changed(name, 0, stop.signal).catch(() => {}));
    const waits = first.map((name) => scenario.changed(name, 0));
    await operator.config('RESETSTAT');
    const began = performance.now();

    for (const name of first) await new StateScenario(other).append(name, ['a']);
    await Promise.all(waits);

    const took = performance.now() - began;
    const calls = Number(/cmdstat_xread:calls=(\d+)/.exec(await operator.info('commandstats'))?.[1]);
    expect(calls, `in ${took} ms`).toBeLessThan(took / 5 + 20);
    expect(relay.connections).toBe(2);
    stop.abort();
    await Promise.all(rest);
  });
});
