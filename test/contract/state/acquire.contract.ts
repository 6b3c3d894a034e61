import { describe, expect, it } from 'vitest';
import { container, work } from './names.ts';
import { LEASE, Scenario, TTL } from './scenario.ts';
import type { OpenState } from './state-under-test.ts';

export function acquireContract(open: OpenState): void {
  describe('acquire', () => {
    it('reserves a place and makes a record in preparing for a conversation without one', async () => {
      const { store, clock } = await open();
      const now = clock.now();

      const result = await new Scenario(store).acquire({ container: 7, owner: 'ann' });

      expect(result).toEqual({
        kind: 'reserved',
        record: {
          tenant: 'acme',
          conversation: 'c1',
          container: container(7),
          manager: 'docker',
          status: 'preparing',
          createdAt: now,
          claimedAt: now,
          lastActiveAt: now,
          preparation: { owner: 'ann', until: now + LEASE * 1_000 },
          drainReason: null,
          savedVersion: null,
        },
      });
      expect(await store.count()).toEqual({ reserved: 1, live: 0, warm: 0 });
    });

    it('says reserved again when repeated, and changes nothing', async () => {
      const { store, clock, dump } = await open();
      const scenario = new Scenario(store);
      const request = scenario.request();
      const first = await store.acquire(request);
      const before = await dump();

      clock.advance(LEASE - 1);

      expect(await store.acquire(request)).toEqual(first);
      expect(await dump()).toEqual(before);
    });

    it('tells other callers that it is being prepared', async () => {
      const { store } = await open();
      const scenario = new Scenario(store);
      const { container } = await scenario.reserved({ owner: 'ann' });

      const other = await scenario.acquire({ owner: 'bob' });

      expect(other).toMatchObject({
        kind: 'preparing',
        record: { container, preparation: { owner: 'ann' } },
      });
    });

    it('tells the same caller, too, if it asks with another container id', async () => {
      const { store } = await open();
      const scenario = new Scenario(store);
      await scenario.reserved({ owner: 'ann' });

      expect(await scenario.acquire({ owner: 'ann' })).toMatchObject({ kind: 'preparing' });
    });

    it('returns the live record with the work begun on it', async () => {
      const { store } = await open();
      const scenario = new Scenario(store);
      const { container } = await scenario.ready();

      const result = await scenario.acquire({ owner: 'bob', work: 5 });

      expect(result).toMatchObject({ kind: 'live', record: { container, status: 'running' } });
      expect(await store.workInFlight(container)).toEqual([work(5)]);
      expect(await store.count()).toEqual({ reserved: 0, live: 1, warm: 0 });
    });

    it('begins the work once when repeated', async () => {
      const { store, dump } = await open();
      const scenario = new Scenario(store);
      await scenario.ready();
      const request = scenario.request();
      const first = await store.acquire(request);
      const before = await dump();

      expect(await store.acquire(request)).toEqual(first);
      expect(await dump()).toEqual(before);
    });

    it('tells that it is draining, and why', async () => {
      const { store } = await open();
      const scenario = new Scenario(store);
      const incarnation = await scenario.ready();
      await scenario.drain(incarnation, 'deleted');

      expect(await scenario.acquire()).toMatchObject({
        kind: 'draining',
        record: { status: 'draining', drainReason: 'deleted' },
      });
    });

    it('has no room once reserved, live and stopping containers take all places', async () => {
      const { store } = await open();
      const scenario = new Scenario(store);
      await scenario.reserved({ conversation: 'starting' });
      await scenario.ready({ conversation: 'live' });
      const stopping = await scenario.ready({ conversation: 'stopping' });
      await scenario.remove(stopping);

      expect(await scenario.acquire({ conversation: 'c4', maxContainers: 3 })).toEqual({
        kind: 'no-room',
        limit: 3,
        used: 3,
      });
      await store.release(stopping.container);
      expect(await scenario.acquire({ conversation: 'c4', maxContainers: 3 })).toMatchObject({
        kind: 'reserved',
      });
    });

    it('is over quota once the tenant has as many conversations as it may', async () => {
      const { store } = await open();
      const scenario = new Scenario(store);
      await scenario.ready({ conversation: 'c1' });
      await scenario.reserved({ conversation: 'c2' });

      expect(await scenario.acquire({ conversation: 'c3', tenantLimit: 2 })).toEqual({
        kind: 'over-quota',
        limit: 2,
        used: 2,
      });
      expect(await scenario.acquire({ conversation: 'c1', tenantLimit: 2 })).toMatchObject({ kind: 'live' });
      expect(await scenario.acquire({ tenant: 'other', tenantLimit: 2 })).toMatchObject({ kind: 'reserved' });
    });

    it('keeps conversations of one id apart by tenant', async () => {
      const { store } = await open();
      const scenario = new Scenario(store);
      const ours = await scenario.ready({ tenant: 'acme' });
      const theirs = await scenario.reserved({ tenant: 'other' });

      expect(theirs.container).not.toBe(ours.container);
      expect(await store.get(ours.tenant, ours.conversation)).toMatchObject({ container: ours.container });
      expect(await store.get(theirs.tenant, theirs.conversation)).toMatchObject({
        container: theirs.container,
      });
    });

    it.each(['reserved', 'bound'] as const)('replaces a %s preparation that lapsed', async (stage) => {
      const { store, clock } = await open();
      const scenario = new Scenario(store);
      const old = await scenario[stage]({ owner: 'ann' });
      clock.advance(LEASE);

      const taken = await scenario.acquire({ owner: 'bob' });

      expect(taken).toMatchObject({ kind: 'reserved', record: { preparation: { owner: 'bob' } } });
      expect(await scenario.confirm(old, 'ann')).toBe('stale');
      expect(await store.findByContainer(old.container)).toBeUndefined();
      expect(await store.count()).toEqual({ reserved: 2, live: 0, warm: 0 });
      expect(await store.due(10)).toEqual({ reserved: [old.container], live: [] });
    });

    it('does not replace a lapsed preparation while there is no place for its successor', async () => {
      const { store, clock, dump } = await open();
      const scenario = new Scenario(store);
      await scenario.bound({ owner: 'ann' });
      clock.advance(LEASE);
      const before = await dump();

      expect(await scenario.acquire({ owner: 'bob', maxContainers: 1 })).toMatchObject({ kind: 'no-room' });
      expect(await dump()).toEqual(before);
    });

    it('does not count a replaced preparation twice against the quota', async () => {
      const { store, clock } = await open();
      const scenario = new Scenario(store);
      await scenario.bound();
      clock.advance(LEASE);

      expect(await scenario.acquire({ owner: 'bob', tenantLimit: 1 })).toMatchObject({ kind: 'reserved' });
    });

    it('does not revive its own preparation once that lapsed', async () => {
      const { store, clock, dump } = await open();
      const scenario = new Scenario(store);
      const request = scenario.request();
      await store.acquire(request);
      clock.advance(LEASE);
      const before = await dump();

      expect(await store.acquire(request)).toMatchObject({ kind: 'preparing' });
      expect(await dump()).toEqual(before);
    });

    it.each(['reserved', 'bound', 'stopping'] as const)(
      'refuses a container id that has a place already, %s',
      async (stage) => {
        const { store, dump } = await open();
        const scenario = new Scenario(store);
        const first = await scenario[stage === 'stopping' ? 'ready' : stage]({ container: 1 });
        if (stage === 'stopping') await scenario.remove(first);
        const before = await dump();

        const again = scenario.acquire({ conversation: 'c2', container: 1 });

        await expect(again).rejects.toMatchObject({ code: 'INTERNAL' });
        expect(await dump()).toEqual(before);
      },
    );

    it('begins no new work past the maximum lifetime, whatever is in flight', async () => {
      const { store, clock, dump } = await open();
      const scenario = new Scenario(store);
      const incarnation = await scenario.running({ workLease: TTL.maxLifetimeSeconds + 60 });
      clock.advance(TTL.maxLifetimeSeconds);
      const before = await dump();

      expect(await scenario.acquire({ work: 2 })).toMatchObject({
        kind: 'draining',
        record: { status: 'running' },
      });
      expect(await scenario.beginWork(incarnation, 2)).toBe('draining');
      expect(await dump()).toEqual(before);
      expect(await scenario.beginWork(incarnation, 1)).toBe('done');
      expect(await scenario.renewWork(incarnation, 1)).toBe('done');
    });
  });
}
