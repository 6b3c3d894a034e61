import { describe, expect, it } from 'vitest';
import { worker } from '../names.ts';
import type { OpenState } from '../state-under-test.ts';
import { SECONDS, WorkerScenario } from './worker-scenario.ts';

export function workerUseContract(open: OpenState): void {
  const opened = async () => {
    const under = await open();
    return { ...under, store: under.state.workers, scenario: new WorkerScenario(under.state.workers) };
  };

  describe('a worker', () => {
    it('is provisioned, used and let go, and known in every state', async () => {
      const { store, scenario, clock } = await opened();
      const created = clock.now();
      expect(await scenario.reserve(1)).toBe('reserved');
      const view = { ...scenario.worker(1), createdAt: created };
      expect(await store.look()).toEqual({
        workers: [{ ...view, state: 'provisioning', since: created, instance: 'i1' }],
        now: created,
      });

      clock.advance(5);
      expect(await scenario.ready(1)).toBe('done');
      expect(await scenario.view(1)).toEqual({ ...view, state: 'idle', since: clock.now(), instance: null });

      clock.advance(5);
      expect(await scenario.acquire({ instance: 'i2' })).toEqual({
        ...{ kind: 'leased', worker: worker(1), paused: false, calls: 0, retired: [] },
      });
      expect(await scenario.view(1)).toEqual({ ...view, state: 'busy', since: clock.now(), instance: 'i2' });

      clock.advance(5);
      expect(await scenario.release(1)).toBe('idle');
      expect(await scenario.view(1)).toEqual({ ...view, state: 'idle', since: clock.now(), instance: null });
      expect(await scenario.acquire({ lease: 'm' })).toMatchObject({ worker: worker(1), calls: 1 });
    });

    it('is had by one at a time', async () => {
      const { scenario } = await opened();
      await scenario.idle([1]);
      expect(await scenario.leased()).toBe(worker(1));
      expect(await scenario.acquire({ lease: 'm' })).toEqual({ kind: 'none', retired: [] });
    });

    it('is had by one of many who ask at once', async () => {
      const { scenario } = await opened();
      await scenario.idle([1, 2, 3, 4, 5]);
      const asked = Array.from({ length: 40 }, (_, i) => scenario.leased({ lease: `l${i}` }));
      const had = (await Promise.all(asked)).filter((id) => id !== undefined);
      expect(had.sort()).toEqual([1, 2, 3, 4, 5].map((n) => worker(n)));
    });

    it('is had first if it was let go last, a paused one where none is idle', async () => {
      const { scenario } = await opened();
      await scenario.idle([1, 2, 3, 4]);
      await scenario.park(4);
      await scenario.park(3);
      const had = [];
      for (const lease of ['a', 'b', 'c', 'd']) had.push(await scenario.acquire({ lease }));
      expect(had).toMatchObject([
        { worker: worker(2), paused: false },
        { worker: worker(1), paused: false },
        { worker: worker(3), paused: true },
        { worker: worker(4), paused: true },
      ]);

      await scenario.release(4, { lease: 'd' });
      await scenario.release(2, { lease: 'a' });
      expect(await scenario.leased({ lease: 'e' })).toBe(worker(2));
      expect(await scenario.acquire({ lease: 'f' })).toMatchObject({ worker: worker(4), paused: false });
    });

    it('serves its own function and tenant only', async () => {
      const { scenario } = await opened();
      await scenario.idle([1]);
      expect(await scenario.leased({ of: 'g' })).toBeUndefined();
      expect(await scenario.leased({ tenant: 'other' })).toBeUndefined();
      expect(await scenario.leased()).toBe(worker(1));
    });

    it('is leased again by the same lease, with the same answer', async () => {
      const { scenario, clock, dumpWorkers } = await opened();
      await scenario.idle([1, 2]);
      await scenario.park(2);
      await scenario.leased({ lease: 'first' });
      const answer = await scenario.acquire();
      expect(answer).toEqual({ kind: 'leased', worker: worker(2), paused: true, calls: 0, retired: [] });
      const before = await dumpWorkers();
      clock.advance(1);
      expect(await scenario.acquire()).toEqual(answer);
      expect(await dumpWorkers()).toEqual(before);
    });

    it('can be had under a lease that has given its last one up', async () => {
      const { store, scenario } = await opened();
      await scenario.idle([1, 2]);
      expect(await scenario.leased()).toBe(worker(2));
      expect(await store.evict(worker(2), 'l')).toBe('done');
      expect(await scenario.leased()).toBe(worker(1));
      expect(await scenario.leased()).toBe(worker(1));
    });

    it('of another revision is to be ended by who meets it on the way to one that fits', async () => {
      const { scenario, store } = await opened();
      await scenario.idle([1]);
      await scenario.idle([2], { revision: 'r2' });
      await scenario.idle([3, 4]);
      await scenario.park(4);
      expect(await scenario.acquire({ revision: 'r2', instance: 'i2' })).toEqual({
        ...{ kind: 'leased', worker: worker(2), paused: false, calls: 0, retired: [worker(3)] },
      });
      expect(await scenario.view(3)).toMatchObject({ state: 'terminating', instance: 'i2' });
      expect(await scenario.state(1)).toBe('idle');
      expect(await scenario.state(4)).toBe('paused');

      const none = await scenario.acquire({ revision: 'r2', lease: 'm' });
      expect(none).toEqual({ kind: 'none', retired: [worker(1), worker(4)] });
      await store.gone(worker(4));
      expect(await scenario.acquire({ lease: 'n' })).toEqual({ kind: 'none', retired: [] });
    });

    it('that is idle can be taken by name, to be paused or given back', async () => {
      const { store, scenario, clock } = await opened();
      await scenario.idle([1, 2]);
      const since = await scenario.since(1);
      clock.advance(1);
      expect(await store.take(worker(1), since - 1, scenario.holder())).toBe('stale');
      expect(await store.take(worker(3), since, scenario.holder())).toBe('stale');
      expect(await store.take(worker(1), since, scenario.holder())).toBe('done');
      expect(await store.take(worker(1), since, scenario.holder())).toBe('done');
      expect(await store.take(worker(1), since, scenario.holder({ lease: 'm' }))).toBe('stale');
      expect(await scenario.view(1)).toMatchObject({ state: 'busy', instance: 'i1', since: clock.now() });
      expect(await scenario.leased({ lease: 'n' })).toBe(worker(2));

      expect(await store.park(worker(1), 'm')).toBe('stale');
      expect(await store.park(worker(1), 'l')).toBe('done');
      expect(await store.park(worker(1), 'l')).toBe('stale');
      expect(await scenario.view(1)).toMatchObject({ state: 'paused', instance: null, since: clock.now() });
      expect(await store.take(worker(1), clock.now(), scenario.holder())).toBe('stale');
      expect(await scenario.acquire({ lease: 'o' })).toMatchObject({
        worker: worker(1),
        paused: true,
        calls: 0,
      });
    });
  });

  describe('a lease', () => {
    it('lets its worker go once', async () => {
      const { scenario, dumpWorkers } = await opened();
      await scenario.idle([1]);
      await scenario.leased();
      expect(await scenario.release(1, { lease: 'm' })).toBe('stale');
      expect(await scenario.release(1)).toBe('idle');
      const before = await dumpWorkers();
      expect(await scenario.release(1)).toBe('stale');
      expect(await dumpWorkers()).toEqual(before);

      await scenario.leased({ lease: 'm' });
      expect(await scenario.release(1)).toBe('stale');
      expect(await scenario.state(1)).toBe('busy');
    });

    it('does nothing more when its time is past, and its worker waits to be ended', async () => {
      const { store, scenario, clock, dumpWorkers } = await opened();
      await scenario.idle([1]);
      await scenario.reserve(2);
      await scenario.leased();
      clock.advance(SECONDS - 1);
      await scenario.reserve(3, { lease: 'new' });
      clock.advance(1);
      const before = await dumpWorkers();
      expect(await scenario.release(1)).toBe('stale');
      expect(await store.park(worker(1), 'l')).toBe('stale');
      expect(await store.evict(worker(1), 'l')).toBe('stale');
      expect(await scenario.ready(2)).toBe('stale');
      expect(await dumpWorkers()).toEqual(before);
      expect(await scenario.leased()).toBeUndefined();
      expect(await scenario.ready(3, { lease: 'new' })).toBe('done');
    });

    it('ends what it lets go where the revision is another by now', async () => {
      const { scenario, store } = await opened();
      await scenario.idle([1]);
      await scenario.leased();
      expect(await scenario.release(1, { revision: 'r2' })).toBe('terminating');
      expect(await scenario.release(1, { revision: 'r2' })).toBe('terminating');
      expect(await scenario.view(1)).toMatchObject({ state: 'terminating', instance: 'i1' });
      expect(await store.park(worker(1), 'l')).toBe('stale');
      expect(await scenario.leased({ lease: 'm' })).toBeUndefined();
    });

    it('of who provisions makes ready, and nothing else', async () => {
      const { store, scenario } = await opened();
      await scenario.reserve(1);
      expect(await scenario.release(1, { lease: 'make-1' })).toBe('stale');
      expect(await store.park(worker(1), 'make-1')).toBe('stale');
      expect(await scenario.ready(1, { lease: 'm' })).toBe('stale');
      expect(await scenario.ready(2)).toBe('stale');
      expect(await scenario.ready(1)).toBe('done');
      expect(await scenario.ready(1)).toBe('stale');
      await scenario.leased();
      expect(await scenario.ready(1, { lease: 'l' })).toBe('stale');
    });
  });
}
