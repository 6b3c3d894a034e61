import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { AdoptionNeeded } from '../../../runtime/state/adoption-store.ts';
import { openRedisState } from '../../../runtime/state/redis/open-redis-state.ts';
import type { State } from '../../../runtime/state/state.ts';
import { container, execution } from '../../contract/state/names.ts';
import { RedisKeyspace } from '../../contract/state/redis-keyspace.ts';
import { TTL } from '../../contract/state/scenario.ts';
import { StateScenario } from '../../contract/state/state-scenario.ts';
import { adoptNothing } from '../../contract/state/state-under-test.ts';
import { must } from '../../support/must.ts';
import type { PrivateRedis } from '../../support/services/private-redis.ts';
import { describeWith, startRedis } from '../../support/services/provided.ts';

describeWith('redis-server', 'a Redis that may have lost what it knew', () => {
  let redis: PrivateRedis;
  let operator: Redis;
  let keyspace: RedisKeyspace;
  let state: State;
  let scenario: StateScenario;

  beforeAll(async () => {
    redis = await startRedis();
    operator = new Redis(redis.url);
    operator.on('error', () => {});
  });

  afterAll(async () => {
    operator.disconnect();
    await redis.stop();
  });

  beforeEach(async ({ onTestFinished }) => {
    keyspace = new RedisKeyspace(redis.url);
    keyspace.client.on('error', () => {});
    state = openRedisState({ url: redis.url, keyPrefix: keyspace.prefix, maxLifetimeSeconds: 3_600 });
    scenario = new StateScenario(state);
    onTestFinished(async () => {
      await state.close();
      keyspace.client.disconnect();
    });
  });

  /** One container that works, one that is warm, one that is claimed right after this. */
  async function inUse(): Promise<void> {
    await adoptNothing(state);
    await scenario.executing({ container: 1 });
    await scenario.warm(2, 3);
  }

  async function restart(): Promise<void> {
    await redis.stop();
    await redis.start();
    await vi.waitFor(() => Promise.all([state.ping(), operator.ping(), keyspace.client.ping()]), {
      timeout: 5_000,
      interval: 50,
    });
  }

  async function expectRefusals(): Promise<void> {
    const before = await keyspace.dump(Date.now());
    const incarnation = { ...scenario.name(), container: container(1) };
    const writes = { ...scenario.writes(incarnation), ...scenario.otherWrites(scenario.name()) };
    for (const [name, write] of Object.entries(writes)) {
      const outcome = await write().then(
        () => 'carried out',
        (error: unknown) => error,
      );
      expect([name, outcome]).toEqual([name, expect.any(AdoptionNeeded)]);
    }
    expect(await keyspace.dump(Date.now())).toEqual(before);
  }

  /** As a start does: by the tickets of 1 (which works) and of 2 (claimed since, whatever the store says of it). */
  async function adoptAll(): Promise<void> {
    const { adoption } = state;
    const life = must(await adoption.needed());
    await adoption.discardWarm();
    expect(await scenario.adopt({ container: 1, executions: [1] })).toBe('done');
    expect(await scenario.adopt({ container: 2, conversation: 'c2' })).toBe('done');
    await adoption.reserveUnknown([1, 2, 3].map(container));
    expect(await adoption.complete(life)).toBe('done');
  }

  async function expectWhole(): Promise<void> {
    const { adoption, conversations, executions } = state;
    expect(await adoption.needed()).toBeUndefined();
    expect(await conversations.count()).toEqual({ reserved: 1, live: 2, warm: 0 });
    expect((await conversations.due(10)).reserved).toEqual([container(3)]);
    expect(await scenario.acquire({ conversation: 'c2' })).toMatchObject({
      kind: 'live',
      record: { container: container(2) },
    });
    expect(await scenario.execute()).toMatchObject({ kind: 'known', execution: { status: 'running' } });
    expect(await executions.get(scenario.name())).toMatchObject({ container: container(1) });
    expect(await scenario.status({ ...scenario.name(), container: container(1) })).toBe('running');
    expect(await scenario.reserveMember(90)).toBe('reserved');
  }

  it('refuses every write before the first adoption, and changes nothing', async () => {
    expect(await state.adoption.needed()).toMatch(/^[0-9a-f]{40}$/);
    await expectRefusals();
    expect(await operator.keys(`${keyspace.prefix}*`)).toEqual([]);
  });

  it('still answers questions', async () => {
    const { conversations, executions, warmPool, leases } = state;
    const { tenant, conversation } = scenario.name();
    const questions = [
      () => conversations.now(),
      () => conversations.get(tenant, conversation),
      () => conversations.findByContainer(container(1)),
      () => conversations.workInFlight(container(1)),
      () => conversations.places([container(1)]),
      () => conversations.scan(undefined, 10),
      () => conversations.list(tenant, { limit: 10 }),
      () => conversations.due(10),
      () => conversations.count(),
      () => executions.get(scenario.name()),
      () => executions.list(tenant, conversation, 10),
      () => scenario.read(scenario.name()),
      () => scenario.changed(scenario.name()),
      () => executions.withoutRelay(10),
      () => executions.countRunning(),
      () => warmPool.look(),
      () => warmPool.configure({ min: 1, max: 2 }),
      () => leases.hold('adoption', 'ann', 15),
      () => leases.letGo('adoption', 'ann'),
    ];
    for (const question of questions) await question();
  });

  it('emptied while it runs, is rebuilt from the containers and goes on', async () => {
    await inUse();
    await operator.flushall();

    await expectRefusals();
    await adoptAll();
    await expectWhole();
  });

  it('started anew and empty, is rebuilt from the containers and goes on', async () => {
    await inUse();
    const life = await operator.get(`${keyspace.prefix}workspace:epoch`);
    await restart();

    expect(await state.adoption.needed()).not.toBe(life);
    expect(await state.adoption.complete(must(life))).toBe('stale');
    await expectRefusals();
    await adoptAll();
    await expectWhole();
  });

  it('started anew with older data, is mended from the containers and goes on', async () => {
    await inUse();
    const names = await operator.keys(`${keyspace.prefix}*`);
    const old = await Promise.all(
      names.map(async (name) => [name, must(await operator.dumpBuffer(name))] as const),
    );
    await scenario.acquire({ conversation: 'c2', container: 20 }); // claims 2, which the older data has as warm
    await restart();
    for (const [name, value] of old) await operator.restore(name, 0, value);
    expect(await scenario.members()).toEqual([container(2), container(3)]);

    await expectRefusals();
    await adoptAll();
    await expectWhole();
    expect(await state.executions.get(scenario.name())).toMatchObject({ bodyHash: 'body' });
  });

  it('mends nothing by itself before adoption: what is missing may come back', async () => {
    await inUse();
    const { conversations, executions } = state;
    const key = (name: string) => `${keyspace.prefix}workspace:${name}`;
    await operator.del(key('epoch'), key('container:acme:c1'), key(`execution:acme:c1:${execution(1)}`));
    await operator.zadd(key('expiry'), 1, container(1));
    await operator.zadd(key('relays'), 1, `acme:c1:${execution(1)}`);
    const before = await keyspace.dump(Date.now());

    expect(await conversations.due(10)).toEqual({ reserved: [], live: [] });
    expect((await conversations.list(scenario.name().tenant, { limit: 10 })).records).toEqual([]);
    expect(await executions.withoutRelay(10)).toEqual([]);
    expect(await keyspace.dump(Date.now())).toEqual(before);
    await adoptNothing(state);
    expect(await conversations.due(10)).toEqual({ reserved: [container(1)], live: [] });
  });

  it('tells that the server changed while it was adopted', async () => {
    const life = must(await state.adoption.needed());
    await restart();

    expect(await state.adoption.complete(life)).toBe('stale');
    expect(await state.adoption.needed()).not.toBe(life);
  });

  it('lets an execution that was adopted be relayed and ended', async () => {
    await inUse();
    await operator.flushall();
    await adoptAll();
    const [name] = await state.executions.withoutRelay(10);

    expect(name).toEqual(scenario.name({ execution: 1 }));
    await scenario.takeRelay(must(name), 'r2');
    await scenario.append(must(name), ['a'], { relay: 'r2' });
    expect(await scenario.finish(must(name), { relay: 'r2', ttl: TTL })).toBe('done');
    expect(await scenario.execute({ execution: 2 })).toMatchObject({ kind: 'live' });
    expect(await scenario.execute({ execution: 3 })).toEqual({ kind: 'locked', execution: execution(2) });
  });
});
