import { describe, expect, it } from 'vitest';
import { work } from './names.ts';
import { LEASE, Scenario, TTL } from './scenario.ts';
import type { OpenState } from './state-under-test.ts';

export function workContract(open: OpenState): void {
  describe('work', () => {
    it('makes a ready record running, and the last one out makes it idle', async () => {
      const { store, clock } = await open();
      const scenario = new Scenario(store);
      const incarnation = await scenario.ready();

      expect(await scenario.beginWork(incarnation, 1)).toBe('done');
      expect(await scenario.beginWork(incarnation, 2)).toBe('done');
      expect(await store.workInFlight(incarnation.container)).toEqual([work(1), work(2)]);

      clock.advance(5);
      expect(await scenario.endWork(incarnation, 1)).toBe('done');
      expect(await scenario.status(incarnation)).toBe('running');

      clock.advance(5);
      expect(await scenario.endWork(incarnation, 2)).toBe('done');
      expect(await store.get(incarnation.tenant, incarnation.conversation)).toMatchObject({
        status: 'idle',
        lastActiveAt: clock.now(),
      });
      expect(await store.workInFlight(incarnation.container)).toEqual([]);
    });

    it('ends once: a repeat is done and does not move the idle time', async () => {
      const { store, clock, dump } = await open();
      const scenario = new Scenario(store);
      const incarnation = await scenario.running();
      await scenario.endWork(incarnation);
      const before = await dump();

      clock.advance(60);

      expect(await scenario.endWork(incarnation)).toBe('done');
      expect(await dump()).toEqual(before);
    });

    it('does not count as activity when it ends quietly', async () => {
      const { store, clock } = await open();
      const scenario = new Scenario(store);
      const incarnation = await scenario.running();
      await scenario.endWork(incarnation);
      const active = clock.now();
      clock.advance(TTL.idleSeconds - 5);
      await scenario.beginWork(incarnation, 2);
      clock.advance(4);
      expect(await scenario.endWork(incarnation, 2, true)).toBe('done');

      expect(await store.get(incarnation.tenant, incarnation.conversation)).toMatchObject({
        status: 'idle',
        lastActiveAt: active,
      });
      expect((await store.due(10)).live).toEqual([]);
      clock.advance(1);
      expect((await store.due(10)).live).toHaveLength(1);
    });

    it('begins anew on an idle record', async () => {
      const { store } = await open();
      const scenario = new Scenario(store);
      const incarnation = await scenario.running();
      await scenario.endWork(incarnation);

      expect(await scenario.beginWork(incarnation, 2)).toBe('done');
      expect(await scenario.status(incarnation)).toBe('running');
    });

    it('counts as ended when its lease lapsed, at that time', async () => {
      const { store, clock } = await open();
      const scenario = new Scenario(store);
      const incarnation = await scenario.running();
      const lapses = clock.now() + LEASE * 1_000;
      clock.advance(LEASE - 1);
      expect(await store.workInFlight(incarnation.container)).toEqual([work(1)]);
      clock.advance(1);
      expect(await store.workInFlight(incarnation.container)).toEqual([]);
      clock.advance(100);

      expect(await store.get(incarnation.tenant, incarnation.conversation)).toMatchObject({
        status: 'idle',
        lastActiveAt: lapses,
      });
      expect(await scenario.acquire({ work: 2 })).toMatchObject({
        kind: 'live',
        record: { lastActiveAt: lapses },
      });
    });

    it('is held by renewals', async () => {
      const { store, clock } = await open();
      const scenario = new Scenario(store);
      const incarnation = await scenario.running();
      for (let renewal = 0; renewal < 5; renewal += 1) {
        clock.advance(LEASE - 1);
        expect(await scenario.renewWork(incarnation)).toBe('done');
      }

      expect(await store.workInFlight(incarnation.container)).toEqual([work(1)]);
    });

    it('keeps a longer lease when a shorter one is asked for', async () => {
      const { store, clock } = await open();
      const scenario = new Scenario(store);
      const incarnation = await scenario.running({ workLease: 660 });
      await scenario.renewWork(incarnation, 1, LEASE);
      await scenario.beginWork(incarnation, 1, LEASE);
      clock.advance(LEASE + 1);

      expect(await store.workInFlight(incarnation.container)).toEqual([work(1)]);
    });

    it('is taken up again by who still does it after its lease lapsed, other work beside it', async () => {
      const { store, clock } = await open();
      const scenario = new Scenario(store);
      const incarnation = await scenario.running();
      await scenario.beginWork(incarnation, 2);
      clock.advance(LEASE * 2);

      expect(await scenario.renewWork(incarnation, 1)).toBe('done');
      expect(await scenario.renewWork(incarnation, 2)).toBe('done');
      expect(await scenario.status(incarnation)).toBe('running');
      expect(await store.workInFlight(incarnation.container)).toEqual([work(1), work(2)]);
    });

    it('is not taken up again once the container drains', async () => {
      const { store, clock, dump } = await open();
      const scenario = new Scenario(store);
      const incarnation = await scenario.running();
      clock.advance(LEASE);
      await scenario.drainIdle(incarnation);
      const before = await dump();

      expect(await scenario.renewWork(incarnation)).toBe('stale');
      expect(await dump()).toEqual(before);
    });

    it('is not renewed after it ended, or if it never began', async () => {
      const { store, dump } = await open();
      const scenario = new Scenario(store);
      const incarnation = await scenario.running();
      await scenario.endWork(incarnation, 1);
      const before = await dump();

      expect(await scenario.renewWork(incarnation, 1)).toBe('stale');
      expect(await scenario.renewWork(incarnation, 2)).toBe('stale');
      expect(await dump()).toEqual(before);
    });

    it('is forgotten ten minutes after it lapsed, when other work comes', async () => {
      const { store, clock } = await open();
      const scenario = new Scenario(store);
      const incarnation = await scenario.running();
      clock.advance(LEASE + 600);
      await scenario.beginWork(incarnation, 2);

      expect(await scenario.renewWork(incarnation, 1)).toBe('stale');
    });

    it('goes on while the container drains, and does not begin there', async () => {
      const { store } = await open();
      const scenario = new Scenario(store);
      const incarnation = await scenario.running();
      await scenario.drain(incarnation);

      expect(await scenario.beginWork(incarnation, 2)).toBe('draining');
      expect(await scenario.renewWork(incarnation, 1)).toBe('done');
      expect(await store.workInFlight(incarnation.container)).toEqual([work(1)]);
      expect(await scenario.endWork(incarnation, 1)).toBe('done');
      expect(await store.workInFlight(incarnation.container)).toEqual([]);
      expect(await scenario.status(incarnation)).toBe('draining');
    });
  });
}
