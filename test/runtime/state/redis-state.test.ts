import { afterEach, beforeEach, expect, it } from 'vitest';
import { executionWork } from '../../../runtime/contracts/ids.ts';
import { openRedisState } from '../../../runtime/state/redis/open-redis-state.ts';
import type { State } from '../../../runtime/state/state.ts';
import { container, execution } from '../../contract/state/names.ts';
import { RedisKeyspace } from '../../contract/state/redis-keyspace.ts';
import { TTL } from '../../contract/state/scenario.ts';
import { StateScenario } from '../../contract/state/state-scenario.ts';
import { adoptNothing } from '../../contract/state/state-under-test.ts';
import { describeWith, redis } from '../../support/services/provided.ts';

describeWith('redis', 'the state in Redis, beyond the contract', () => {
  let keyspace: RedisKeyspace;
  let states: State[];

  beforeEach(async () => {
    keyspace = new RedisKeyspace(redis().url);
    states = [];
    await adoptNothing(open());
  });

  afterEach(async () => {
    await Promise.all(states.map((state) => state.close()));
    await keyspace.remove();
  });

  function open(options: { clockOffsetMs?: number } = {}): State {
    const state = openRedisState({
      url: redis().url,
      keyPrefix: keyspace.prefix,
      maxLifetimeSeconds: 1_000,
      ...options,
    });
    states.push(state);
    return state;
  }

  /** As many instances of the runtime have. */
  const openMany = (n: number) => Array.from({ length: n }, () => new StateScenario(open()));

  /** All but the epoch and the count of wishes, which stay. */
  const keysLeft = async () =>
    (await keyspace.client.keys(`${keyspace.prefix}*`))
      .map((name) => name.slice(`${keyspace.prefix}workspace:`.length))
      .filter((name) => name !== 'epoch' && name !== 'warm_pool:demand');

  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

  const key = (name: string) => `${keyspace.prefix}workspace:${name}`;

  it('lets one of 50 callers at once prepare a conversation', async () => {
    const instances = openMany(5);

    const results = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        instances[i % 5]?.acquire({ container: i + 1, owner: `owner-${i}`, work: i }),
      ),
    );

    const kinds = results.map((result) => result?.kind);
    expect(kinds.filter((kind) => kind === 'reserved')).toHaveLength(1);
    expect(kinds.filter((kind) => kind === 'preparing')).toHaveLength(49);
    expect(await open().conversations.count()).toEqual({ reserved: 1, live: 0, warm: 0 });
  });

  it('gives 20 places to 200 callers at once where there are 20', async () => {
    const instances = openMany(5);

    const results = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        instances[i % 5]?.acquire({ conversation: `c${i}`, container: i + 1, maxContainers: 20 }),
      ),
    );

    expect(results.filter((result) => result?.kind === 'reserved')).toHaveLength(20);
    expect(results.filter((result) => result?.kind === 'no-room')).toHaveLength(180);
    expect(await open().conversations.count()).toEqual({ reserved: 20, live: 0, warm: 0 });
  });

  it('hands each of 5 warm containers to one of 400 callers over 2 connections', async () => {
    const instances = openMany(2);
    await instances[0]?.warm(1, 2, 3, 4, 5);

    const results = await Promise.all(
      Array.from({ length: 400 }, (_, i) =>
        instances[i % 2]?.acquire({ conversation: `c${i}`, container: 100 + i, maxContainers: 20 }),
      ),
    );

    const claimed = results.flatMap((result) =>
      result?.kind === 'claimed' ? [result.record.container] : [],
    );
    expect(claimed.sort()).toEqual([1, 2, 3, 4, 5].map(container));
    expect(results.filter((result) => result?.kind === 'reserved')).toHaveLength(15);
    expect(await open().conversations.count()).toEqual({ reserved: 15, live: 5, warm: 0 });
    expect(await open().warmPool.look()).toMatchObject({ members: [], demand: 20, used: 20 });
  });

  it('lets no two refills at once overshoot', async () => {
    const instances = openMany(3);

    const results = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        instances[i % 3]?.reserveMember(i + 1, { owner: `pool-${i}`, most: 10, maxContainers: 100 }),
      ),
    );

    expect(results.filter((result) => result === 'reserved')).toHaveLength(10);
    expect(results.filter((result) => result === 'full')).toHaveLength(50);
  });

  it('has a member whose information was lost ended, and hands out the next', async () => {
    const state = open();
    const scenario = new StateScenario(state);
    await scenario.warm(1, 2);
    await keyspace.client.del(key(`warm_pool_info:${container(1)}`));

    expect(await scenario.members()).toEqual([container(2)]);
    expect(await scenario.acquire({ container: 20 })).toMatchObject({
      kind: 'claimed',
      record: { container: container(2) },
    });
    expect((await state.conversations.due(10)).reserved).toEqual([container(1)]);
  });

  it('reads the sizes of the pool that an operator set by hand', async () => {
    const { warmPool } = open();
    await keyspace.client.hset(key('warm_pool:config'), { min_size: 3, max_size: 9 });
    expect(await warmPool.look()).toMatchObject({ sizes: { min: 3, max: 9 } });

    await keyspace.client.hset(key('warm_pool:config'), { min_size: 'many' });
    await expect(warmPool.look()).rejects.toMatchObject({ code: 'INTERNAL' });
  });

  it('keeps the keys and fields that operators rely on', async () => {
    const scenario = new StateScenario(open());
    const name = await scenario.executing({ container: 1 });
    await scenario.append(name, ['one\n']);
    await scenario.warm(2);
    await scenario.acquire({ conversation: 'claimed', container: 20 });
    await scenario.warm(4);
    await scenario.reserveMember(3);
    await scenario.state.warmPool.configure({ min: 1, max: 2 });
    await scenario.state.leases.hold('sweep', 'ann', 15);

    expect((await keysLeft()).sort()).toEqual(
      [
        ...['container:acme:c1', 'container:acme:claimed'],
        ...[1, 2].map((n) => `container_reverse:${container(n)}`),
        `events:acme:c1:${execution(1)}`,
        `execution:acme:c1:${execution(1)}`,
        'executions:acme:c1',
        'expiry',
        'lease:sweep',
        'relays',
        'reserved',
        'tenant:acme',
        'tenant_executions:acme',
        'warm_pool',
        'warm_pool:config',
        'warm_pool:starters',
        'warm_pool:starting',
        `warm_pool_info:${container(4)}`,
        `work:${container(1)}`,
      ].sort(),
    );
    expect(await keyspace.client.hgetall(key(`execution:acme:c1:${execution(1)}`))).toEqual({
      status: 'running',
      body_hash: 'body',
      container_id: container(1),
      started_at: time,
      deadline: time,
      on_disconnect: 'cancel',
      relay: 'r1',
      agent_seq: '1',
      offset: '0',
      log_bytes: '4',
    });
    expect(await keyspace.client.zrange(key('relays'), '0', '-1')).toEqual([`acme:c1:${execution(1)}`]);
    expect(await keyspace.client.get(key('epoch'))).toMatch(/^[0-9a-f]{40}$/);
  });

  it('keeps the fields of a record and of a warm member that operators rely on', async () => {
    const scenario = new StateScenario(open());
    await scenario.running({ container: 1 });
    await scenario.warm(2);
    expect(await keyspace.client.get(key(`container_reverse:${container(1)}`))).toBe('acme:c1');
    expect(await keyspace.client.lrange(key('warm_pool'), 0, -1)).toEqual([container(2)]);
    expect(await keyspace.client.hgetall(key(`warm_pool_info:${container(2)}`))).toEqual({
      container_id: container(2),
      image: 'base:1',
      manager_type: 'ecs',
      created_at: time,
      added_by: 'pool',
    });
    expect(await keyspace.client.hgetall(key('container:acme:c1'))).toEqual({
      container_id: container(1),
      conversation_id: 'c1',
      tenant_id: 'acme',
      manager_type: 'docker',
      status: 'running',
      created_at: time,
      claimed_at: time,
      last_active_at: time,
      prepare_owner: 'ann',
    });
  });

  it('lets a record outlive its time by a factor of two, from the last write on', async () => {
    const scenario = new StateScenario(open());
    const ttl = () => keyspace.client.pttl(key('container:acme:c1'));
    const incarnation = await scenario.reserved();
    await keyspace.client.pexpire(key('container:acme:c1'), 1_000);

    await scenario.bind(incarnation);
    expect(await ttl()).toBeGreaterThan(1_990_000);
    expect(await ttl()).toBeLessThanOrEqual(2_000_000);
    await scenario.confirm(incarnation);
    expect(await ttl()).toBeGreaterThan(2_000 * TTL.maxLifetimeSeconds - 10_000);
  });

  it("goes by the server's clock and an offset that tests set", async () => {
    const [seconds, micros] = await keyspace.client.time();
    const before = Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);

    const now = await open().conversations.now();
    const later = await open({ clockOffsetMs: 3_600_000 }).conversations.now();

    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThan(before + 5_000);
    expect(later).toBeGreaterThanOrEqual(before + 3_600_000);
    expect(later).toBeLessThan(before + 3_605_000);
  });

  it('has the container of a record that was lost ended, and its place freed after', async () => {
    const state = open();
    const store = state.conversations;
    const scenario = new StateScenario(state);
    const { tenant, container } = await scenario.running();
    await keyspace.client.del(key('container:acme:c1'));
    await keyspace.client.zadd(key('expiry'), 1, container);

    expect(await store.due(10)).toEqual({ reserved: [container], live: [] });
    expect(await keysLeft()).toEqual(['reserved']);
    await store.release(container);

    expect(await keysLeft()).toEqual([]);
    expect(await scenario.acquire({ tenantLimit: 1 })).toMatchObject({
      kind: 'reserved',
      record: { tenant },
    });
  });

  it('frees the place of a preparation whose record was lost', async () => {
    const state = open();
    const { container } = await new StateScenario(state).reserved();
    await keyspace.client.del(key('container:acme:c1'));

    await state.conversations.release(container);

    expect(await keysLeft()).toEqual([]);
  });

  it('does not list a record that was lost', async () => {
    const state = open();
    const store = state.conversations;
    const scenario = new StateScenario(state);
    const { tenant } = await scenario.ready({ conversation: 'a' });
    await scenario.ready({ conversation: 'b' });
    await keyspace.client.del(key('container:acme:a'));

    const page = await store.list(tenant, { limit: 10 });

    expect(page.records.map((record) => record.conversation)).toEqual(['b']);
    expect(await keyspace.client.zrange(key('tenant:acme'), '0', '-1')).toEqual(['b']);
  });

  it.each([
    ['status', 'asleep'],
    ['container_id', 'nonsense'],
    ['created_at', 'yesterday'],
  ])('throws at a record whose %s is %s', async (field, value) => {
    const state = open();
    const { tenant, conversation } = await new StateScenario(state).ready();
    await keyspace.client.hset(key('container:acme:c1'), field, value);

    await expect(state.conversations.get(tenant, conversation)).rejects.toMatchObject({ code: 'INTERNAL' });
  });

  it('lets an execution and its log outlive their time by a day, then by what is promised', async () => {
    const scenario = new StateScenario(open());
    const name = await scenario.executing();
    const ttl = (kind: string) => keyspace.client.pttl(key(`${kind}:acme:c1:${execution(1)}`));
    const minutes = async (kind: string) => Math.ceil((await ttl(kind)) / 60_000);
    await scenario.append(name, ['a']);

    expect([await minutes('execution'), await minutes('events')]).toEqual([1_442, 1_442]);
    await scenario.finish(name);
    expect([await minutes('execution'), await minutes('events')]).toEqual([1_440, 60]);
  });

  it('forgets an execution whose hash is gone by its own time', async () => {
    const state = open();
    const scenario = new StateScenario(state);
    const name = await scenario.executing();
    await keyspace.client.del(key(`execution:acme:c1:${execution(1)}`));
    await keyspace.client.zadd(key('relays'), 1, `acme:c1:${execution(1)}`);

    expect(await state.executions.get(name)).toBeUndefined();
    expect(await state.executions.withoutRelay(10)).toEqual([]);
    expect(await state.executions.countRunning()).toBe(0);
    expect(await keyspace.client.exists(key('tenant_executions:acme'))).toBe(0);
    expect(await state.executions.list(name.tenant, name.conversation, 10)).toEqual([]);

    await state.conversations.endWork({ ...name, work: executionWork(execution(1)), ttl: TTL });
    await scenario.execute({ execution: 2 });
    expect(await keyspace.client.zrange(key('executions:acme:c1'), '0', '-1')).toEqual([execution(2)]);
  });
});
