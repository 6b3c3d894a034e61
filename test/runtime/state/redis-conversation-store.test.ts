import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ConversationStore } from '../../../runtime/state/conversation-store.ts';
import { RedisConversationStore } from '../../../runtime/state/redis/redis-conversation-store.ts';
import { container } from '../../contract/conversation-store/names.ts';
import { RedisKeyspace } from '../../contract/conversation-store/redis-keyspace.ts';
import { Scenario, TTL } from '../../contract/conversation-store/scenario.ts';
import { describeWith, redis } from '../../support/services/provided.ts';

describeWith('redis', 'the conversation store in Redis, beyond the contract', () => {
  let keyspace: RedisKeyspace;
  let stores: ConversationStore[];

  beforeEach(() => {
    keyspace = new RedisKeyspace(redis().url);
    stores = [];
  });

  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await keyspace.remove();
  });

  function open(options: { clockOffsetMs?: number } = {}): ConversationStore {
    const store = new RedisConversationStore({
      url: redis().url,
      keyPrefix: keyspace.prefix,
      maxLifetimeSeconds: 1_000,
      ...options,
    });
    stores.push(store);
    return store;
  }

  /** As many instances of the runtime have. */
  const openMany = (n: number) => Array.from({ length: n }, () => new Scenario(open()));

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
    expect(await open().count()).toEqual({ reserved: 1, live: 0 });
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
    expect(await open().count()).toEqual({ reserved: 20, live: 0 });
  });

  it('counts the members of the warm pool as places', async () => {
    await keyspace.client.rpush(key('warm_pool'), container(1), container(2));

    expect(await new Scenario(open()).acquire({ container: 3, maxContainers: 2 })).toEqual({
      kind: 'no-room',
      limit: 2,
      used: 2,
    });
  });

  it('keeps the keys and fields that operators rely on', async () => {
    const scenario = new Scenario(open());
    await scenario.running({ container: 1 });

    const names = (await keyspace.client.keys(`${keyspace.prefix}*`)).map((name) =>
      name.slice(keyspace.prefix.length),
    );
    expect(names.sort()).toEqual([
      'workspace:container:acme:c1',
      `workspace:container_reverse:${container(1)}`,
      'workspace:expiry',
      'workspace:tenant:acme',
      `workspace:work:${container(1)}`,
    ]);
    expect(await keyspace.client.get(key(`container_reverse:${container(1)}`))).toBe('acme:c1');
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
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
    const scenario = new Scenario(open());
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

    const now = await open().now();
    const later = await open({ clockOffsetMs: 3_600_000 }).now();

    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThan(before + 5_000);
    expect(later).toBeGreaterThanOrEqual(before + 3_600_000);
    expect(later).toBeLessThan(before + 3_605_000);
  });

  it('has the container of a record that was lost ended, and its place freed after', async () => {
    const store = open();
    const scenario = new Scenario(store);
    const { tenant, container } = await scenario.running();
    await keyspace.client.del(key('container:acme:c1'));
    await keyspace.client.zadd(key('expiry'), 1, container);

    expect(await store.due(10)).toEqual({ reserved: [container], live: [] });
    expect(await keyspace.client.keys(`${keyspace.prefix}*`)).toEqual([key('reserved')]);
    await store.release(container);

    expect(await keyspace.client.keys(`${keyspace.prefix}*`)).toEqual([]);
    expect(await scenario.acquire({ tenantLimit: 1 })).toMatchObject({
      kind: 'reserved',
      record: { tenant },
    });
  });

  it('frees the place of a preparation whose record was lost', async () => {
    const store = open();
    const { container } = await new Scenario(store).reserved();
    await keyspace.client.del(key('container:acme:c1'));

    await store.release(container);

    expect(await keyspace.client.keys(`${keyspace.prefix}*`)).toEqual([]);
  });

  it('does not list a record that was lost', async () => {
    const store = open();
    const scenario = new Scenario(store);
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
    const store = open();
    const { tenant, conversation } = await new Scenario(store).ready();
    await keyspace.client.hset(key('container:acme:c1'), field, value);

    await expect(store.get(tenant, conversation)).rejects.toMatchObject({ code: 'INTERNAL' });
  });
});
