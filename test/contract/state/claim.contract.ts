import { describe, expect, it } from 'vitest';
import { container } from './names.ts';
import { LEASE, TTL } from './scenario.ts';
import { StateScenario } from './state-scenario.ts';
import type { OpenState } from './state-under-test.ts';

export function claimContract(open: OpenState): void {
  describe('a claim of a warm container', () => {
    it('takes the oldest, bound and in preparing in the same step', async () => {
      const { state, store, clock } = await open();
      const scenario = new StateScenario(state);
      const created = clock.now();
      await scenario.warm(1);
      clock.advance(60);
      await scenario.warm(2);

      const result = await scenario.acquire({ container: 20, owner: 'ann' });

      const now = clock.now();
      expect(result).toEqual({
        kind: 'claimed',
        record: {
          tenant: 'acme',
          conversation: 'c1',
          container: container(1),
          manager: 'ecs',
          status: 'preparing',
          createdAt: created,
          claimedAt: now,
          lastActiveAt: now,
          preparation: { owner: 'ann', until: now + LEASE * 1_000 },
          drainReason: null,
          savedVersion: null,
        },
      });
      expect(await scenario.members()).toEqual([container(2)]);
      expect(await store.count()).toEqual({ reserved: 0, live: 1, warm: 1 });
      expect(await store.findByContainer(container(1))).toMatchObject({ conversation: 'c1' });
    });

    it('is said again when repeated, and changes nothing', async () => {
      const { state, store, clock, dump } = await open();
      const scenario = new StateScenario(state);
      await scenario.warm(1, 2);
      const request = scenario.request({ container: 20 });
      const first = await store.acquire(request);
      const before = await dump();

      clock.advance(LEASE - 1);

      expect(await store.acquire(request)).toEqual(first);
      expect(await dump()).toEqual(before);
    });

    it('is told to other callers as being prepared', async () => {
      const { state } = await open();
      const scenario = new StateScenario(state);
      await scenario.warm(1, 2);
      await scenario.acquire({ container: 20, owner: 'ann' });

      expect(await scenario.acquire({ container: 21, owner: 'ann' })).toMatchObject({ kind: 'preparing' });
      expect(await scenario.acquire({ container: 20, owner: 'bob' })).toMatchObject({ kind: 'preparing' });
      expect(await scenario.members()).toEqual([container(2)]);
    });

    it('is confirmed as any preparation is, and then live', async () => {
      const { state, clock } = await open();
      const scenario = new StateScenario(state);
      await scenario.warm(1);
      const result = await scenario.acquire({ container: 20 });
      if (result.kind !== 'claimed') throw new Error(result.kind);
      clock.advance(LEASE - 1);

      expect(await scenario.renewPreparation(result.record)).toBe('done');
      expect(await scenario.bind(result.record)).toBe('done');
      expect(await scenario.confirm(result.record)).toBe('done');
      expect(await scenario.acquire()).toMatchObject({ kind: 'live', record: { container: container(1) } });
    });

    it('ages from when the member came, not from when it was claimed', async () => {
      const { state, clock } = await open();
      const scenario = new StateScenario(state);
      await scenario.warm(1);
      clock.advance(TTL.maxLifetimeSeconds);
      const result = await scenario.acquire();
      if (result.kind !== 'claimed') throw new Error(result.kind);
      await scenario.confirm(result.record);

      expect(await scenario.acquire()).toMatchObject({ kind: 'draining', record: { status: 'ready' } });
    });

    it('needs no other place: it has one', async () => {
      const { state } = await open();
      const scenario = new StateScenario(state);
      await scenario.warm(1);

      expect(await scenario.acquire({ conversation: 'a', maxContainers: 1 })).toMatchObject({
        kind: 'claimed',
      });
      expect(await scenario.acquire({ conversation: 'b', maxContainers: 1 })).toEqual({
        kind: 'no-room',
        limit: 1,
        used: 1,
      });
    });

    it('is not made for a tenant that is over its quota', async () => {
      const { state, dump } = await open();
      const scenario = new StateScenario(state);
      await scenario.ready({ conversation: 'a', container: 19 });
      await scenario.warm(1);
      const before = await dump();

      expect(await scenario.acquire({ conversation: 'b', container: 20, tenantLimit: 1 })).toMatchObject({
        kind: 'over-quota',
      });
      expect(await dump()).toEqual(before);
    });

    it('takes over from a preparation that lapsed, whose container keeps its place', async () => {
      const { state, store, clock } = await open();
      const scenario = new StateScenario(state);
      const old = await scenario.bound({ owner: 'ann', container: 20 });
      await scenario.warm(1);
      clock.advance(LEASE);

      expect(await scenario.acquire({ owner: 'bob', container: 21, maxContainers: 2 })).toMatchObject({
        kind: 'claimed',
        record: { container: container(1), preparation: { owner: 'bob' } },
      });
      expect(await store.due(10)).toEqual({ reserved: [old.container], live: [] });
    });

    it('that lapsed is lost to its owner, due, and never warm again', async () => {
      const { state, store, clock, dump } = await open();
      const scenario = new StateScenario(state);
      await scenario.warm(1);
      const request = scenario.request({ container: 20 });
      await store.acquire(request);
      clock.advance(LEASE);
      const before = await dump();

      expect(await store.acquire(request)).toMatchObject({ kind: 'preparing' });
      expect(await scenario.addMember(1)).toBe('done');
      expect(await dump()).toEqual(before);
      expect(await store.due(10)).toMatchObject({ reserved: [], live: [{ container: container(1) }] });
      expect(await scenario.acquire({ container: 21 })).toMatchObject({ kind: 'reserved' });
      expect((await store.due(10)).reserved).toEqual([container(1)]);
    });

    it('counts as demand, once; so does a place reserved, and nothing else', async () => {
      const { state, store } = await open();
      const scenario = new StateScenario(state);
      const demand = async () => (await state.warmPool.look()).demand;
      await scenario.warm(1);
      const claim = scenario.request({ conversation: 'a' });
      await store.acquire(claim);
      await store.acquire(claim);
      expect(await demand()).toBe(1);

      await scenario.ready({ conversation: 'b' });
      await scenario.acquire({ conversation: 'b' });
      await scenario.acquire({ conversation: 'c', maxContainers: 2 });
      await scenario.acquire({ conversation: 'd', tenantLimit: 2 });
      expect(await demand()).toBe(2);
    });

    it('gives each of several conversations at once its own, and reserves for the rest', async () => {
      const { state } = await open();
      const scenario = new StateScenario(state);
      await scenario.warm(1, 2, 3);

      const results = await Promise.all(
        Array.from({ length: 5 }, (_, i) => scenario.acquire({ conversation: `c${i}`, container: 20 + i })),
      );

      const claimed = results.flatMap((result) =>
        result.kind === 'claimed' ? [result.record.container] : [],
      );
      expect(claimed.sort()).toEqual([1, 2, 3].map(container));
      expect(results.filter(({ kind }) => kind === 'reserved')).toHaveLength(2);
    });
  });
}
