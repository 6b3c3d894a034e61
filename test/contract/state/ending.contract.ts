import { describe, expect, it } from 'vitest';
import { must } from '../../support/must.ts';
import { LEASE, Scenario, TTL } from './scenario.ts';
import type { OpenState } from './state-under-test.ts';

export function endingContract(open: OpenState): void {
  describe('draining', () => {
    it('is refused as busy while work is in flight, if only the idle are meant', async () => {
      const { store, dump } = await open();
      const scenario = new Scenario(store);
      const incarnation = await scenario.running();
      const before = await dump();

      expect(await scenario.drainIdle(incarnation)).toBe('busy');
      expect(await dump()).toEqual(before);
    });

    it('begins on a ready record, on an idle one, and on one whose work all lapsed', async () => {
      const { store, clock } = await open();
      const scenario = new Scenario(store);
      const ready = await scenario.ready({ conversation: 'ready' });
      const idle = await scenario.running({ conversation: 'idle' });
      await scenario.endWork(idle);
      const lapsed = await scenario.running({ conversation: 'lapsed' });
      clock.advance(LEASE);

      for (const incarnation of [ready, idle, lapsed]) {
        expect(await scenario.drainIdle(incarnation)).toBe('done');
        expect(await scenario.status(incarnation)).toBe('draining');
      }
    });

    it('is refused as busy when something was done since the caller looked', async () => {
      const { store, clock, dump } = await open();
      const scenario = new Scenario(store);
      const incarnation = await scenario.running();
      const { lastActiveAt } = must(await store.get(incarnation.tenant, incarnation.conversation));
      clock.advance(1);
      await scenario.endWork(incarnation);
      const before = await dump();
      const drain = { ...incarnation, onlyIdle: true, reason: 'expired', leaseSeconds: LEASE } as const;

      expect(await store.beginDrain({ ...drain, lastActiveAt })).toBe('busy');
      expect(await dump()).toEqual(before);
      const seen = must(await store.get(incarnation.tenant, incarnation.conversation));
      expect(await store.beginDrain({ ...drain, lastActiveAt: seen.lastActiveAt })).toBe('done');
    });

    it('begins with work in flight when a user says so', async () => {
      const { store } = await open();
      const scenario = new Scenario(store);
      const incarnation = await scenario.running();

      expect(await scenario.drain(incarnation, 'deleted')).toBe('done');
      expect(await store.get(incarnation.tenant, incarnation.conversation)).toMatchObject({
        status: 'draining',
        drainReason: 'deleted',
      });
    });

    it.each(['reserved', 'bound'] as const)('is busy on a preparation that is %s', async (stage) => {
      const { store, clock, dump } = await open();
      const scenario = new Scenario(store);
      const incarnation = await scenario[stage]();
      const before = await dump();

      expect(await scenario.drain(incarnation)).toBe('busy');
      expect(await scenario.drainIdle(incarnation)).toBe('busy');
      clock.advance(LEASE);
      expect(await scenario.drain(incarnation)).toBe('busy');
      expect(await dump()).toEqual(before);
    });

    it.each([
      ['expired', 'deleted', 'deleted'],
      ['deleted', 'expired', 'deleted'],
      ['expired', 'unhealthy', 'expired'],
      ['deleted', 'purged', 'purged'],
      ['purged', 'deleted', 'purged'],
    ] as const)('for %s and then for %s stays for %s', async (first, second, kept) => {
      const { store } = await open();
      const scenario = new Scenario(store);
      const incarnation = await scenario.ready();

      expect(await scenario.drain(incarnation, first)).toBe('done');
      expect(await scenario.drain(incarnation, second)).toBe('done');
      expect(await store.findByContainer(incarnation.container)).toMatchObject({ drainReason: kept });
    });

    it('is due when its lease has lapsed, unless it is begun again', async () => {
      const { store, clock } = await open();
      const scenario = new Scenario(store);
      const incarnation = await scenario.ready();
      await scenario.drain(incarnation, 'deleted', 60);

      clock.advance(59);
      expect((await store.due(10)).live).toEqual([]);
      clock.advance(1);
      expect((await store.due(10)).live).toMatchObject([{ status: 'draining' }]);
      await scenario.drain(incarnation, 'expired', 60);
      expect((await store.due(10)).live).toEqual([]);
    });

    it('is not due while work in flight holds a lease', async () => {
      const { store, clock } = await open();
      const scenario = new Scenario(store);
      const incarnation = await scenario.running();
      await scenario.drain(incarnation, 'deleted', 1);

      clock.advance(LEASE - 1);
      expect((await store.due(10)).live).toEqual([]);
      await scenario.renewWork(incarnation);
      clock.advance(LEASE - 1);
      expect((await store.due(10)).live).toEqual([]);
      clock.advance(1);
      expect((await store.due(10)).live).toHaveLength(1);
    });

    it('keeps a longer lease when it is begun again for a shorter one, or when work in it is renewed', async () => {
      const { store, clock } = await open();
      const scenario = new Scenario(store);
      const incarnation = await scenario.running();
      await scenario.drain(incarnation, 'deleted', 600);
      await scenario.drain(incarnation, 'deleted', 60);
      await scenario.renewWork(incarnation);

      clock.advance(599);
      expect((await store.due(10)).live).toEqual([]);
      clock.advance(1);
      expect((await store.due(10)).live).toHaveLength(1);
    });

    it('is not undone by a late confirmation', async () => {
      const { store } = await open();
      const scenario = new Scenario(store);
      const incarnation = await scenario.ready();
      await scenario.drain(incarnation);

      expect(await scenario.confirm(incarnation)).toBe('stale');
    });
  });

  describe('removal', () => {
    it.each(['reserved', 'bound', 'ready', 'running'] as const)(
      'forgets a record that is %s and keeps its place reserved',
      async (stage) => {
        const { store, dump } = await open();
        const scenario = new Scenario(store);
        const incarnation = await scenario[stage]();

        expect(await scenario.remove(incarnation)).toBe('done');

        expect(await store.get(incarnation.tenant, incarnation.conversation)).toBeUndefined();
        expect(await store.findByContainer(incarnation.container)).toBeUndefined();
        expect(await store.workInFlight(incarnation.container)).toEqual([]);
        expect((await store.list(incarnation.tenant, { limit: 10 })).records).toEqual([]);
        expect(await dump()).toMatchObject({ records: {}, reverse: {}, expiry: {}, work: {}, tenants: {} });
        expect(await store.count()).toEqual({ reserved: 1, live: 0, warm: 0 });
      },
    );

    it('is done when repeated, and changes nothing, until the place is released', async () => {
      const { store, clock, dump } = await open();
      const scenario = new Scenario(store);
      const incarnation = await scenario.ready();
      await scenario.remove(incarnation);
      const before = await dump();

      clock.advance(5);
      expect(await scenario.remove(incarnation)).toBe('done');
      expect(await dump()).toEqual(before);
      await store.release(incarnation.container);
      expect(await scenario.remove(incarnation)).toBe('stale');
    });

    it('is due once the container has had its time to stop', async () => {
      const { store, clock } = await open();
      const scenario = new Scenario(store);
      const incarnation = await scenario.ready();
      await scenario.remove(incarnation, 20);

      clock.advance(19);
      expect(await store.due(10)).toEqual({ reserved: [], live: [] });
      clock.advance(1);
      expect(await store.due(10)).toEqual({ reserved: [incarnation.container], live: [] });
    });

    it('lets the next acquire have a new container', async () => {
      const { store } = await open();
      const scenario = new Scenario(store);
      await scenario.remove(await scenario.ready());

      expect(await scenario.acquire()).toMatchObject({ kind: 'reserved' });
    });
  });

  describe('release', () => {
    it('frees the place of a container that no record names', async () => {
      const { store, dump } = await open();
      const scenario = new Scenario(store);
      const incarnation = await scenario.ready();
      await scenario.remove(incarnation);

      await store.release(incarnation.container);

      expect(await store.count()).toEqual({ reserved: 0, live: 0, warm: 0 });
      expect(await dump()).toMatchObject({ reserved: {}, expiry: {} });
    });

    it.each(['reserved', 'bound', 'ready'] as const)(
      'leaves the place of a record that is %s alone, lapsed or not',
      async (stage) => {
        const { store, clock, dump } = await open();
        const scenario = new Scenario(store);
        const incarnation = await scenario[stage]();
        clock.advance(LEASE);
        const before = await dump();

        await store.release(incarnation.container);

        expect(await dump()).toEqual(before);
      },
    );

    it('does nothing to a container that it does not know', async () => {
      const { store, dump } = await open();
      const scenario = new Scenario(store);
      const { container } = await scenario.ready();
      await scenario.remove({ ...scenario.request(), container });
      await store.release(container);
      const before = await dump();

      await store.release(container);

      expect(await dump()).toEqual(before);
    });
  });

  describe('a container that the conversation has moved on from', () => {
    it('is refused everything, and nothing changes', async () => {
      const { store, clock, dump } = await open();
      const scenario = new Scenario(store);
      const old = await scenario.running();
      await scenario.remove(old);
      await store.release(old.container);
      const now = await scenario.running({ owner: 'bob' });
      clock.advance(1);
      const before = await dump();

      for (const [name, write] of Object.entries(scenario.writes(old))) {
        expect([name, await write()]).toEqual([name, 'stale']);
      }
      await store.release(old.container);
      expect(await dump()).toEqual(before);
      expect(await scenario.status(now)).toBe('running');
    });

    it('is refused everything when there is no record at all', async () => {
      const { store, dump } = await open();
      const scenario = new Scenario(store);
      const gone = await scenario.ready();
      await scenario.remove(gone);
      await store.release(gone.container);
      const before = await dump();

      for (const [name, write] of Object.entries(scenario.writes(gone))) {
        expect([name, await write()]).toEqual([name, 'stale']);
      }
      expect(await dump()).toEqual(before);
    });

    it.each(['reserved', 'ready'] as const)(
      'does not stand for another conversation when it is the %s one of its own',
      async (stage) => {
        const { store, dump } = await open();
        const scenario = new Scenario(store);
        const ours = await scenario[stage]({ tenant: 'acme', conversation: 'c1' });
        const theirs = await scenario.ready({ tenant: 'other', conversation: 'c1' });
        const before = await dump();

        const mixed = { ...theirs, container: ours.container };
        for (const [name, write] of Object.entries(scenario.writes(mixed))) {
          expect([name, await write()]).toEqual([name, 'stale']);
        }
        expect(await dump()).toEqual(before);
      },
    );
  });

  it('looks at an old container as soon as its last work ends', async () => {
    const { store, clock } = await open();
    const scenario = new Scenario(store);
    const incarnation = await scenario.running({ workLease: TTL.maxLifetimeSeconds + 60 });
    clock.advance(TTL.maxLifetimeSeconds + 30);
    expect((await store.due(10)).live).toEqual([]);

    await scenario.endWork(incarnation);

    expect((await store.due(10)).live).toMatchObject([{ status: 'idle' }]);
  });
}
