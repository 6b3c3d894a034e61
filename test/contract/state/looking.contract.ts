import { describe, expect, it } from 'vitest';
import { container, conversation, tenant } from './names.ts';
import { LEASE, Scenario, TTL } from './scenario.ts';
import { StateScenario } from './state-scenario.ts';
import type { OpenState } from './state-under-test.ts';

const acme = tenant('acme');

export function lookingContract(open: OpenState): void {
  describe('due', () => {
    it('names what is past its time: places, preparations, idle and old records; the oldest first', async () => {
      const { store, clock } = await open();
      const scenario = new Scenario(store);
      const bound = await scenario.bound({ conversation: 'bound' });
      const reserved = await scenario.reserved({ conversation: 'reserved' });
      await scenario.ready({ conversation: 'ready' });
      clock.advance(LEASE - 1);
      expect(await store.due(10)).toEqual({ reserved: [], live: [] });

      clock.advance(1);
      expect(await store.due(10)).toMatchObject({
        reserved: [reserved.container],
        live: [{ container: bound.container, status: 'preparing' }],
      });

      clock.advance(TTL.idleSeconds - LEASE);
      expect((await store.due(10)).live.map((record) => record.conversation)).toEqual(['bound', 'ready']);
    });

    it('waits for the idle time after the last work ended', async () => {
      const { store, clock } = await open();
      const scenario = new Scenario(store);
      const incarnation = await scenario.running();
      clock.advance(LEASE - 1);
      await scenario.endWork(incarnation);

      clock.advance(TTL.idleSeconds - 1);
      expect((await store.due(10)).live).toEqual([]);
      clock.advance(1);
      expect((await store.due(10)).live).toMatchObject([{ status: 'idle' }]);
    });

    it('waits for the idle time after a lease lapsed, whose work counts as ended then', async () => {
      const { store, clock } = await open();
      const scenario = new Scenario(store);
      await scenario.running();

      clock.advance(LEASE + TTL.idleSeconds - 1);
      expect((await store.due(10)).live).toEqual([]);
      clock.advance(1);
      expect((await store.due(10)).live).toMatchObject([
        { status: 'idle', lastActiveAt: clock.now() - TTL.idleSeconds * 1_000 },
      ]);
    });

    it('names a record at its maximum lifetime however active it is, once no lease is held', async () => {
      const { store, clock } = await open();
      const scenario = new Scenario(store);
      const incarnation = await scenario.ready();
      for (let age = 0; age < TTL.maxLifetimeSeconds; age += 300) {
        await scenario.beginWork(incarnation);
        await scenario.endWork(incarnation);
        expect((await store.due(10)).live).toEqual([]);
        clock.advance(300);
      }

      expect((await store.due(10)).live).toMatchObject([{ container: incarnation.container }]);
    });

    it('names at most as many of each kind as asked for', async () => {
      const { store, clock } = await open();
      const scenario = new Scenario(store);
      for (let i = 0; i < 3; i += 1) {
        await scenario.reserved({ conversation: `r${i}` });
        await scenario.bound({ conversation: `b${i}` });
        clock.advance(1);
      }
      clock.advance(LEASE);

      const due = await store.due(2);
      expect(due.reserved).toEqual([container(1), container(3)]);
      expect(due.live.map((record) => record.conversation)).toEqual(['b0', 'b1']);
    });

    it('changes nothing', async () => {
      const { store, clock, dump } = await open();
      const scenario = new Scenario(store);
      await scenario.running({ conversation: 'running' });
      await scenario.reserved({ conversation: 'reserved' });
      clock.advance(TTL.maxLifetimeSeconds);
      const before = await dump();

      await store.due(10);

      expect(await dump()).toEqual(before);
    });
  });

  describe('list', () => {
    it('gives a page at a time in order of id', async () => {
      const { store } = await open();
      const scenario = new Scenario(store);
      for (const id of ['b', 'a-1', 'Z', 'a.1', '9', 'a', 'c_2'])
        await scenario.reserved({ conversation: id });
      await scenario.reserved({ tenant: 'other', conversation: 'aa' });

      const seen: string[] = [];
      let after: { after?: ReturnType<typeof conversation> } = {};
      for (;;) {
        const page = await store.list(acme, { limit: 3, ...after });
        seen.push(...page.records.map((record) => record.conversation));
        expect(page.records.length).toBeLessThanOrEqual(3);
        if (page.next === undefined) break;
        after = { after: page.next };
      }

      expect(seen).toEqual(['9', 'Z', 'a', 'a-1', 'a.1', 'b', 'c_2']);
    });

    it('has no next page after one that ends exactly at the last record', async () => {
      const { store } = await open();
      const scenario = new Scenario(store);
      for (const id of ['a', 'b']) await scenario.reserved({ conversation: id });

      expect(await store.list(acme, { limit: 2 })).not.toHaveProperty('next');
      expect(await store.list(acme, { limit: 1 })).toHaveProperty('next', 'a');
      expect(await store.list(acme, { limit: 1, after: conversation('b') })).toEqual({ records: [] });
    });

    it('finds those of a status, as they are now', async () => {
      const { store, clock } = await open();
      const scenario = new Scenario(store);
      await scenario.ready({ conversation: 'ready' });
      await scenario.running({ conversation: 'lapsed' });
      await scenario.running({ conversation: 'running', workLease: LEASE * 2 });
      clock.advance(LEASE);

      const ids = async (status: 'running' | 'idle' | 'ready') =>
        (await store.list(acme, { limit: 10, status })).records.map((record) => record.conversation);
      expect(await ids('running')).toEqual(['running']);
      expect(await ids('idle')).toEqual(['lapsed']);
      expect(await ids('ready')).toEqual(['ready']);
    });

    it('looks at a bounded number for a rare status, and says where to go on', async () => {
      const { store } = await open();
      const scenario = new Scenario(store);
      const ids = Array.from({ length: 1_100 }, (_, i) => `c${String(i).padStart(4, '0')}`);
      await Promise.all(ids.map((id) => scenario.reserved({ conversation: id, maxContainers: 2_000 })));
      await scenario.ready({ conversation: 'd', maxContainers: 2_000 });

      const first = await store.list(acme, { limit: 5, status: 'ready' });
      expect(first).toEqual({ records: [], next: 'c0999' });
      const second = await store.list(acme, { limit: 5, status: 'ready', after: conversation('c0999') });
      expect(second).toEqual({ records: [expect.objectContaining({ conversation: 'd' })] });
    });
  });

  describe('scan', () => {
    it('finds every live record once, however small the pages', async () => {
      const { store } = await open();
      const scenario = new Scenario(store);
      const ids = Array.from({ length: 300 }, (_, i) => `c${i}`);
      await Promise.all(ids.map((id) => scenario.bound({ conversation: id, maxContainers: 1_000 })));
      await scenario.reserved({ conversation: 'not-live', maxContainers: 1_000 });

      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await store.scan(cursor, 50);
        seen.push(...page.records.map((record) => record.conversation));
        cursor = page.next;
      } while (cursor !== undefined);

      expect(seen.sort()).toEqual(ids.sort());
    });

    it('finds none where there is none', async () => {
      const { store } = await open();

      expect(await store.scan(undefined, 10)).toEqual({ records: [] });
    });
  });

  describe('places', () => {
    it('tells which containers have one, and which', async () => {
      const { state, store } = await open();
      const scenario = new StateScenario(state);
      await scenario.warm(1);
      await scenario.reserveMember(2);
      const claimed = await scenario.acquire({ conversation: 'claimed', container: 20 });
      await scenario.warm(3);
      const stopping = await scenario.adopt({ conversation: 'stopping', container: 5 });
      await scenario.remove({
        tenant: acme,
        conversation: conversation('stopping'),
        container: container(5),
      });

      expect([claimed.kind, stopping]).toEqual(['claimed', 'done']);
      expect(await store.places([1, 2, 3, 4, 5].map(container))).toEqual(
        new Map([
          [container(1), 'live'],
          [container(2), 'reserved'],
          [container(3), 'warm'],
          [container(5), 'reserved'],
        ]),
      );
      expect(await store.places([])).toEqual(new Map());
    });
  });

  describe('postponing', () => {
    it('puts the next look off, and never brings it nearer', async () => {
      const { store, clock } = await open();
      const scenario = new Scenario(store);
      const incarnation = await scenario.ready();
      clock.advance(TTL.idleSeconds);
      expect((await store.due(10)).live).toHaveLength(1);

      expect(await store.postpone({ ...incarnation, seconds: 60 })).toBe('done');
      expect(await store.postpone({ ...incarnation, seconds: 10 })).toBe('done');

      clock.advance(59);
      expect((await store.due(10)).live).toEqual([]);
      clock.advance(1);
      expect((await store.due(10)).live).toHaveLength(1);
    });

    it('is for records that are prepared', async () => {
      const { store, dump } = await open();
      const incarnation = await new Scenario(store).bound();
      const before = await dump();

      expect(await store.postpone({ ...incarnation, seconds: 600 })).toBe('stale');
      expect(await dump()).toEqual(before);
    });
  });

  it('remembers under which version the files are saved', async () => {
    const { store, clock } = await open();
    const scenario = new Scenario(store);
    const incarnation = await scenario.running();
    clock.advance(5);

    expect(await store.saved({ ...incarnation, version: 'v1' })).toBe('done');
    expect(await store.saved({ ...incarnation, version: 'v2' })).toBe('done');

    await scenario.endWork(incarnation);
    expect(await store.findByContainer(incarnation.container)).toMatchObject({ savedVersion: 'v2' });
  });

  describe('lookups', () => {
    it('find nothing for what is not there', async () => {
      const { store } = await open();

      expect(await store.get(acme, conversation('c1'))).toBeUndefined();
      expect(await store.findByContainer(container(1))).toBeUndefined();
      expect(await store.workInFlight(container(1))).toEqual([]);
      expect(await store.list(acme, { limit: 5 })).toEqual({ records: [] });
      expect(await store.count()).toEqual({ reserved: 0, live: 0, warm: 0 });
      await store.ping();
    });

    it('give copies: changing one changes nothing', async () => {
      const { store, dump } = await open();
      const scenario = new Scenario(store);
      const { conversation } = await scenario.reserved();
      const before = await dump();

      const record = await store.get(acme, conversation);
      if (record?.preparation) record.preparation.until = 0;

      expect(await dump()).toEqual(before);
    });

    it('tell the time of the store', async () => {
      const { store, clock } = await open();
      clock.advance(1);

      expect(await store.now()).toBe(clock.now());
    });
  });
}
