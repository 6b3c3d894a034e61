import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { isBerthError } from '../../../runtime/contracts/errors.ts';
import type { ConversationStore } from '../../../runtime/state/conversation-store.ts';
import { openRedisState } from '../../../runtime/state/redis/open-redis-state.ts';
import type { State } from '../../../runtime/state/state.ts';
import { StateScenario } from '../../contract/state/state-scenario.ts';
import { adoptNothing } from '../../contract/state/state-under-test.ts';
import { CuttableRelay } from '../../support/cuttable-relay.ts';
import type { PrivateRedis } from '../../support/services/private-redis.ts';
import { describeWith, startRedis } from '../../support/services/provided.ts';

const WITHIN_MS = 2_000;
/** For the machine to notice that the time is up. */
const SLACK_MS = 300;

describeWith('redis-server', 'the state when Redis is away', () => {
  let redis: PrivateRedis;
  let relay: CuttableRelay;
  let state: State;
  let store: ConversationStore;
  let scenario: StateScenario;
  let errors: Error[];
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);

  beforeAll(async () => {
    process.on('unhandledRejection', note);
    redis = await startRedis();
  });

  afterAll(async () => {
    await redis.stop();
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  beforeEach(async () => {
    relay = await CuttableRelay.open({ host: '127.0.0.1', port: redis.port });
    errors = [];
    state = newState();
    store = state.conversations;
    scenario = new StateScenario(state);
    await adoptNothing(state);
  });

  afterEach(async () => {
    await state.close();
    await relay[Symbol.asyncDispose]();
  });

  function newState(): State {
    return openRedisState({
      url: `redis://127.0.0.1:${relay.port}`,
      keyPrefix: `${crypto.randomUUID()}:`,
      maxLifetimeSeconds: 3_600,
      onError: (error) => errors.push(error),
    });
  }

  async function expectUnavailable(call: () => Promise<unknown>): Promise<void> {
    const started = performance.now();
    const failure = await call().then(
      () => 'it answered',
      (error: unknown) => error,
    );
    expect(isBerthError(failure, 'STORE_UNAVAILABLE'), String(failure)).toBe(true);
    expect(performance.now() - started).toBeLessThan(WITHIN_MS + SLACK_MS);
  }

  /** Every kind of call, at once. */
  async function expectAllUnavailable(): Promise<void> {
    const incarnation = { ...scenario.request(), container: scenario.request().newContainer };
    const calls = [
      ...Object.values(scenario.writes(incarnation)),
      ...Object.values(scenario.otherWrites(scenario.name())),
      () => state.adoption.needed(),
      () => state.leases.hold('sweep', 'ann', 15),
      () => state.warmPool.look(),
      () => state.workers.look(),
      () => store.ping(),
      () => store.now(),
      () => scenario.acquire(),
      () => store.due(1),
      () => store.count(),
    ];
    await Promise.all(calls.map(expectUnavailable));
  }

  const expectBack = () => vi.waitFor(() => store.ping(), { timeout: 5_000, interval: 50 });

  it('fails calls while the connection is cut, and comes back by itself', async () => {
    const { container } = await scenario.ready();

    relay.cut();
    await expectAllUnavailable();
    await expectAllUnavailable();
    expect(errors).not.toEqual([]);

    relay.restore();
    await expectBack();
    expect(await store.findByContainer(container)).toMatchObject({ status: 'ready' });
  });

  it('fails a call that was under way when the connection is cut', async () => {
    relay.freeze();
    const call = expectUnavailable(() => store.now());
    relay.cut();
    await call;

    relay.restore();
    await expectBack();
  });

  it('fails calls while no byte passes, gives the connection up, and comes back by itself', async () => {
    relay.freeze();
    await expectAllUnavailable();
    await expectAllUnavailable();
    await vi.waitFor(() => expect(errors).not.toEqual([]), { timeout: 3_000 });

    relay.restore();
    await expectBack();
    expect(await scenario.ready({ conversation: 'after' })).toBeDefined();
  });

  it('fails calls while the server is stopped in its tracks, and comes back by itself', async () => {
    redis.pause();
    try {
      await expectAllUnavailable();
    } finally {
      redis.resume();
    }
    await expectBack();
    expect(await scenario.ready({ conversation: 'after' })).toBeDefined();
  });

  it('starts without a Redis, and is there when that is', async () => {
    relay.cut();
    const early = newState();
    try {
      await expectUnavailable(() => early.ping());
      relay.restore();
      await vi.waitFor(() => early.ping(), { timeout: 5_000, interval: 50 });
    } finally {
      await early.close();
    }
  });

  it('starts against a Redis that does not answer', async () => {
    relay.freeze();
    const early = newState();
    try {
      await expectUnavailable(() => early.ping());
      relay.restore();
      await vi.waitFor(() => early.ping(), { timeout: 5_000, interval: 50 });
    } finally {
      await early.close();
    }
  });

  it('waits for the first connection instead of failing calls made right after the start', async () => {
    const early = newState();
    try {
      expect(await early.conversations.count()).toEqual({ reserved: 0, live: 0, warm: 0 });
    } finally {
      await early.close();
    }
  });

  it('goes on after a restart of the server, which knows no script any more', async () => {
    await scenario.ready();

    await redis.stop();
    await expectUnavailable(() => store.now());
    await redis.start();

    await expectBack();
    expect(await store.count()).toEqual({ reserved: 0, live: 0, warm: 0 });
    await adoptNothing(state);
    expect(await scenario.ready({ conversation: 'after' })).toBeDefined();
  });

  it('goes on after the server forgot its scripts', async () => {
    await scenario.ready();
    const operator = new Redis(redis.url);
    await operator.script('FLUSH');
    operator.disconnect();

    expect(await Promise.all([store.count(), store.now(), store.now(), scenario.acquire()])).toHaveLength(4);
  });

  it('answers a repeat as if it were the first call, whether or not that was carried out late', async () => {
    const request = scenario.request();
    relay.freeze();
    await expectUnavailable(() => store.acquire(request));
    relay.restore();
    await expectBack();

    expect(await store.acquire(request)).toMatchObject({ kind: 'reserved' });
    expect(await store.count()).toEqual({ reserved: 1, live: 0, warm: 0 });
  });

  it('queues nothing: what failed while away is not carried out later', async () => {
    relay.cut();
    await expectUnavailable(() => scenario.acquire());
    relay.restore();
    await expectBack();

    expect(await store.count()).toEqual({ reserved: 0, live: 0, warm: 0 });
  });

  it('fails calls after it was closed, also while Redis is away', async () => {
    relay.cut();
    await expectUnavailable(() => store.ping());
    await state.close();
    relay.restore();

    await expectUnavailable(() => store.ping());
  });
});
