import { describe, expect, it } from 'vitest';
import { LEASE, Scenario } from './scenario.ts';
import type { OpenState } from './state-under-test.ts';

export function preparationContract(open: OpenState): void {
  describe('preparation', () => {
    it('moves the place from the reserved to the live when the container is bound', async () => {
      const { store } = await open();
      const scenario = new Scenario(store);
      const incarnation = await scenario.reserved();

      expect(await scenario.bind(incarnation)).toBe('done');

      expect(await store.count()).toEqual({ reserved: 0, live: 1, warm: 0 });
      expect(await scenario.status(incarnation)).toBe('preparing');
      expect(await store.findByContainer(incarnation.container)).toMatchObject(incarnation);
    });

    it.each(['reserved', 'bound'] as const)('is held by renewals while %s', async (stage) => {
      const { store, clock } = await open();
      const scenario = new Scenario(store);
      const incarnation = await scenario[stage]();
      for (let renewal = 0; renewal < 5; renewal += 1) {
        clock.advance(LEASE - 1);
        expect(await scenario.renewPreparation(incarnation)).toBe('done');
      }

      expect(await store.due(10)).toEqual({ reserved: [], live: [] });
      expect(await scenario.acquire({ owner: 'bob' })).toMatchObject({ kind: 'preparing' });
    });

    it('ends in ready, with no preparation left', async () => {
      const { store } = await open();
      const scenario = new Scenario(store);
      const incarnation = await scenario.bound();

      expect(await scenario.confirm(incarnation)).toBe('done');

      expect(await store.get(incarnation.tenant, incarnation.conversation)).toMatchObject({
        status: 'ready',
        preparation: null,
      });
    });

    it('is confirmed once: a repeat is done and changes nothing, also after work began', async () => {
      const { store, dump } = await open();
      const scenario = new Scenario(store);
      const incarnation = await scenario.running();
      const before = await dump();

      expect(await scenario.confirm(incarnation)).toBe('done');
      expect(await scenario.confirm(incarnation, 'bob')).toBe('stale');
      expect(await dump()).toEqual(before);
    });

    it('takes no work', async () => {
      const { store, dump } = await open();
      const scenario = new Scenario(store);
      const incarnation = await scenario.bound();
      const before = await dump();

      expect(await scenario.beginWork(incarnation)).toBe('preparing');
      expect(await scenario.renewWork(incarnation)).toBe('stale');
      expect(await scenario.endWork(incarnation)).toBe('stale');
      expect(await dump()).toEqual(before);
    });

    it.each(['reserved', 'bound'] as const)('is refused to anyone but its owner while %s', async (stage) => {
      const { store, dump } = await open();
      const scenario = new Scenario(store);
      const incarnation = await scenario[stage]({ owner: 'ann' });
      const before = await dump();

      expect(await scenario.renewPreparation(incarnation, 'bob')).toBe('stale');
      expect(await scenario.bind(incarnation, 'bob')).toBe('stale');
      expect(await scenario.confirm(incarnation, 'bob')).toBe('stale');
      expect(await dump()).toEqual(before);
    });

    it.each(['reserved', 'bound'] as const)('is lost to its owner once it lapsed while %s', async (stage) => {
      const { store, clock, dump } = await open();
      const scenario = new Scenario(store);
      const incarnation = await scenario[stage]();
      clock.advance(LEASE);
      const before = await dump();

      expect(await scenario.renewPreparation(incarnation)).toBe('stale');
      expect(await scenario.bind(incarnation)).toBe('stale');
      expect(await scenario.confirm(incarnation)).toBe('stale');
      expect(await dump()).toEqual(before);
    });
  });
}
