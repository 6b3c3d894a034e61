import { describe, expect, it } from 'vitest';
import { container } from './names.ts';
import { LEASE } from './scenario.ts';
import { StateScenario } from './state-scenario.ts';
import type { OpenState } from './state-under-test.ts';

export function exchangeContract(open: OpenState): void {
  describe('a reserved place exchanged for a warm container', () => {
    it('is given to the pool, and the oldest member is bound in the same step', async () => {
      const { state, store, clock } = await open();
      const scenario = new StateScenario(state);
      const reserved = await scenario.reserved({ container: 20 });
      const asked = clock.now();
      clock.advance(5);
      await scenario.warm(1, 2);
      const came = clock.now();
      clock.advance(1);

      expect(await scenario.exchange(reserved)).toEqual({
        kind: 'claimed',
        record: {
          tenant: 'acme',
          conversation: 'c1',
          container: container(1),
          manager: 'ecs',
          status: 'preparing',
          createdAt: came,
          claimedAt: asked,
          lastActiveAt: asked,
          preparation: { owner: 'ann', until: clock.now() + LEASE * 1_000 },
          drainReason: null,
          savedVersion: null,
        },
      });
      expect(await scenario.members()).toEqual([container(2)]);
      expect(await state.warmPool.look()).toMatchObject({ starting: 1, used: 3 });
      expect(await store.findByContainer(container(20))).toBeUndefined();
      expect(await store.findByContainer(container(1))).toMatchObject({ conversation: 'c1' });
      expect(await store.count()).toEqual({ reserved: 1, live: 1, warm: 1 });
    });

    it('leads to a conversation and a member', async () => {
      const { state } = await open();
      const scenario = new StateScenario(state);
      const reserved = await scenario.reserved({ container: 20 });
      await scenario.warm(1);
      const result = await scenario.exchange(reserved);
      if (result.kind !== 'claimed') throw new Error(result.kind);

      expect(await scenario.confirm(result.record)).toBe('done');
      expect(await scenario.acquire()).toMatchObject({ kind: 'live', record: { container: container(1) } });
      expect(await scenario.renewMember(20)).toBe('done');
      expect(await scenario.addMember(20)).toBe('done');
      expect(await scenario.members()).toEqual([container(20)]);
    });

    it('is said again when repeated, by either call, and changes nothing', async () => {
      const { state, store, dump } = await open();
      const scenario = new StateScenario(state);
      const request = scenario.request({ container: 20 });
      await store.acquire(request);
      const reserved = { ...request, container: container(20) };
      await scenario.warm(1, 2);
      const first = await scenario.exchange(reserved);
      const before = await dump();

      expect(await scenario.exchange(reserved)).toEqual(first);
      expect(await store.acquire(request)).toEqual(first);
      expect(await dump()).toEqual(before);
    });

    it('finds nothing in an empty pool, nor where the container is there already', async () => {
      const { state, dump } = await open();
      const scenario = new StateScenario(state);
      const reserved = await scenario.reserved({ container: 20 });
      const empty = await dump();
      expect(await scenario.exchange(reserved)).toEqual({ kind: 'empty' });
      expect(await dump()).toEqual(empty);

      await scenario.bind(reserved);
      await scenario.warm(1);
      const bound = await dump();
      expect(await scenario.exchange(reserved)).toEqual({ kind: 'empty' });
      expect(await dump()).toEqual(bound);
    });

    it('is not for a claim that has a warm container', async () => {
      const { state, dump } = await open();
      const scenario = new StateScenario(state);
      await scenario.warm(1, 2);
      const claimed = await scenario.acquire({ container: 20 });
      if (claimed.kind !== 'claimed') throw new Error(claimed.kind);
      const before = await dump();

      expect(await scenario.exchange(claimed.record)).toEqual({ kind: 'empty' });
      expect(await dump()).toEqual(before);
    });

    it('is refused to others, and once the preparation has lapsed', async () => {
      const { state, clock, dump } = await open();
      const scenario = new StateScenario(state);
      const reserved = await scenario.reserved({ container: 20 });
      await scenario.warm(1);
      const before = await dump();
      expect(await scenario.exchange(reserved, 'bob')).toEqual({ kind: 'stale' });
      expect(await scenario.exchange({ ...reserved, container: container(21) })).toEqual({ kind: 'stale' });
      clock.advance(LEASE + 1);
      expect(await scenario.exchange(reserved)).toEqual({ kind: 'stale' });
      expect(await dump()).toEqual(before);
    });

    it('keeps its new place for the starter alone, and no longer than its lease', async () => {
      const { state, store, clock } = await open();
      const scenario = new StateScenario(state);
      const reserved = await scenario.reserved({ container: 20 });
      await scenario.warm(1);
      await scenario.exchange(reserved, 'ann', 'pool');

      expect(await scenario.renewMember(20, 'another')).toBe('stale');
      clock.advance(LEASE + 1);
      expect(await scenario.addMember(20)).toBe('stale');
      expect(await store.due(10)).toMatchObject({ reserved: [container(20)] });
    });
  });
}
