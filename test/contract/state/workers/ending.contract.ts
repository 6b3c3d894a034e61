import { describe, expect, it } from 'vitest';
import { worker } from '../names.ts';
import type { OpenState } from '../state-under-test.ts';
import { WorkerScenario } from './worker-scenario.ts';

export function workerEndingContract(open: OpenState): void {
  const opened = async () => {
    const under = await open();
    return { ...under, store: under.state.workers, scenario: new WorkerScenario(under.state.workers) };
  };

  describe('the number of workers', () => {
    it('is bounded for each function, and for all together, whatever state they are in', async () => {
      const { store, scenario } = await opened();
      await scenario.idle([1, 2, 3]);
      await scenario.park(1);
      await scenario.leased();
      expect(await scenario.reserve(4, { max: 3 })).toBe('full');
      expect(await scenario.reserve(4, { max: 4 })).toBe('reserved');
      await store.evict(worker(4), 'make-4');
      expect(await scenario.reserve(5, { max: 4 })).toBe('full');
      expect(await scenario.reserve(5, { of: 'g', total: 4 })).toBe('no-room');
      expect(await scenario.reserve(5, { of: 'g', total: 5 })).toBe('reserved');

      await store.gone(worker(4));
      expect(await scenario.reserve(6, { max: 4, total: 5 })).toBe('reserved');
      expect(await scenario.reserve(7, { max: 5, total: 5 })).toBe('no-room');
    });

    it('is kept by many who reserve at once', async () => {
      const { scenario } = await opened();
      const asked = Array.from({ length: 30 }, (_, n) => scenario.reserve(n, { max: 3 }));
      expect((await Promise.all(asked)).filter((answer) => answer === 'reserved')).toHaveLength(3);
    });

    it('is not changed by a reservation that is repeated, and an id has one worker', async () => {
      const { scenario, dumpWorkers } = await opened();
      await scenario.reserve(1, { max: 1, total: 1 });
      const before = await dumpWorkers();
      expect(await scenario.reserve(1, { max: 1, total: 1 })).toBe('reserved');
      const taken = { code: 'INTERNAL', detail: expect.stringContaining('taken already') };
      await expect(scenario.reserve(1, { lease: 'm' })).rejects.toMatchObject(taken);
      expect(await dumpWorkers()).toEqual(before);
      await scenario.ready(1);
      await expect(scenario.reserve(1)).rejects.toMatchObject(taken);
    });
  });

  describe('a worker that is evicted', () => {
    it('is never had again, whatever comes late', async () => {
      const { store, scenario, dumpWorkers } = await opened();
      await scenario.idle([1]);
      await scenario.leased();
      expect(await store.evict(worker(1), 'm')).toBe('stale');
      expect(await store.evict(worker(1), 'l')).toBe('done');
      const before = await dumpWorkers();
      expect(await store.evict(worker(1), 'l')).toBe('done');
      expect(await scenario.release(1)).toBe('terminating');
      expect(await store.park(worker(1), 'l')).toBe('stale');
      expect(await dumpWorkers()).toEqual(before);
      expect(await scenario.leased({ lease: 'm' })).toBeUndefined();
      expect(await scenario.view(1)).toMatchObject({ state: 'terminating', instance: 'i1' });
    });

    it('may be one that is being provisioned, but none that nobody holds', async () => {
      const { store, scenario } = await opened();
      await scenario.reserve(1);
      expect(await store.evict(worker(1), 'make-1')).toBe('done');
      expect(await scenario.ready(1)).toBe('stale');
      await scenario.idle([2]);
      expect(await store.evict(worker(2), 'make-2')).toBe('stale');
      expect(await store.evict(worker(3), 'make-3')).toBe('stale');
      expect(await store.evict(worker(2), '')).toBe('stale');
    });

    it('counts until it is gone, which only one that terminates can be', async () => {
      const { store, scenario } = await opened();
      await scenario.idle([1]);
      await store.gone(worker(1));
      expect(await scenario.leased()).toBe(worker(1));
      await store.gone(worker(1));
      expect(await scenario.state(1)).toBe('busy');
      await store.evict(worker(1), 'l');
      await store.gone(worker(1));
      expect(await scenario.state(1)).toBeUndefined();
      await store.gone(worker(1));
      expect(await scenario.release(1)).toBe('stale');
      expect(await store.look()).toMatchObject({ workers: [] });
    });
  });

  describe('a worker that is retired', () => {
    it('is one that has been idle or paused since it was looked at', async () => {
      const { store, scenario, clock } = await opened();
      await scenario.idle([1, 2, 3]);
      await scenario.park(2);
      await scenario.leased();
      clock.advance(1);
      const since = await scenario.since(1);
      expect(await scenario.retire(1, { since: since - 1 })).toBe('stale');
      expect(await scenario.retire(3, { lease: 'm' })).toBe('stale');
      expect(await scenario.retire(4)).toBe('stale');
      expect(await scenario.retire(1, { lease: 'm', since })).toBe('done');
      expect(await scenario.retire(1, { lease: 'm', since })).toBe('done');
      expect(await scenario.retire(1, { lease: 'n', since })).toBe('stale');
      expect(await scenario.view(1)).toMatchObject({
        ...{ state: 'terminating', instance: 'i1', since: clock.now() },
      });
      expect(await scenario.retire(2, { lease: 'o' })).toBe('done');
      expect(await scenario.leased({ lease: 'p' })).toBeUndefined();
      expect(await store.known([worker(1), worker(2), worker(4)])).toEqual(new Set([worker(1), worker(2)]));
    });

    it('leaves as many as are to be kept, without those that are ended', async () => {
      const { store, scenario, dumpWorkers } = await opened();
      await scenario.idle([1, 2, 3]);
      await scenario.reserve(4);
      await scenario.leased();
      await store.evict(worker(3), 'l');
      const before = await dumpWorkers();
      expect(await scenario.retire(1, { keep: 3 })).toBe('kept');
      expect(await dumpWorkers()).toEqual(before);
      expect(await scenario.retire(1, { keep: 2 })).toBe('done');
      expect(await scenario.retire(2, { keep: 2, lease: 'm' })).toBe('kept');
    });
  });
}
