import { describe, expect, it } from 'vitest';
import { INSTANCE_SILENT_SECONDS } from '../../../../runtime/state/worker-store.ts';
import { worker } from '../names.ts';
import type { OpenState } from '../state-under-test.ts';
import { SECONDS, WorkerScenario } from './worker-scenario.ts';

export function workerInstancesContract(open: OpenState): void {
  const opened = async () => {
    const under = await open();
    const { workers } = under.state;
    const scenario = new WorkerScenario(workers);
    const takeOver = async (instance: string, own: string[] = [], lease = `end-${instance}`) =>
      (await workers.takeOver(scenario.holder({ instance, lease }), own)).sort();
    return { ...under, store: workers, scenario, takeOver };
  };

  describe('an instance', () => {
    it('keeps what it holds as long as it is heard of', async () => {
      const { store, scenario, clock, takeOver } = await opened();
      await scenario.idle([1]);
      await scenario.leased({ seconds: 100 });
      for (let beats = 0; beats < 3; beats++) {
        clock.advance(INSTANCE_SILENT_SECONDS - 1);
        expect(await takeOver('i2')).toEqual([]);
        const held = [scenario.held(1, 'busy', { seconds: 100 })];
        expect(await store.beat('i1', held)).toEqual({ lost: [] });
      }
      expect(await scenario.release(1)).toBe('idle');
    });

    it('is dead when it was silent, and what it held is another’s to end', async () => {
      const { store, scenario, clock, takeOver } = await opened();
      await scenario.idle([1, 2]);
      await scenario.reserve(3);
      await scenario.leased();
      await store.beat('i1', [scenario.held(2, 'busy')]);
      clock.advance(INSTANCE_SILENT_SECONDS - 1);
      expect(await takeOver('i2')).toEqual([]);
      clock.advance(1);
      expect(await takeOver('i2')).toEqual([worker(2), worker(3)]);
      expect(await takeOver('i2')).toEqual([worker(2), worker(3)]);
      expect(await takeOver('i3')).toEqual([]);
      expect(await scenario.view(2)).toMatchObject({
        ...{ state: 'terminating', instance: 'i2', since: clock.now() },
      });
      expect(await scenario.state(1)).toBe('idle');

      expect(await scenario.release(2)).toBe('stale');
      expect(await scenario.ready(3)).toBe('stale');
      expect(await store.beat('i1', [scenario.held(2, 'busy')])).toEqual({ lost: [worker(2)] });
    });

    it('is heard of by every call that gives it a worker, too', async () => {
      const { scenario, clock, takeOver } = await opened();
      await scenario.idle([1]);
      clock.advance(100);
      await scenario.leased();
      clock.advance(INSTANCE_SILENT_SECONDS - 1);
      expect(await takeOver('i2')).toEqual([]);
      clock.advance(1);
      expect(await takeOver('i2')).toEqual([worker(1)]);
    });

    it('takes over what another was to end and did not', async () => {
      const { store, scenario, clock, takeOver } = await opened();
      await scenario.reserve(1);
      await store.evict(worker(1), 'make-1');
      const since = clock.now();
      clock.advance(INSTANCE_SILENT_SECONDS);
      expect(await takeOver('i2')).toEqual([worker(1)]);
      expect(await scenario.view(1)).toMatchObject({ state: 'terminating', instance: 'i2', since });
      clock.advance(INSTANCE_SILENT_SECONDS - 1);
      expect(await takeOver('i3')).toEqual([]);
      clock.advance(1);
      expect(await takeOver('i3')).toEqual([worker(1)]);
    });

    it('loses what it holds for longer than it said, though it lives', async () => {
      const { store, scenario, clock, takeOver } = await opened();
      await scenario.reserve(1, { lease: 'make' });
      clock.advance(SECONDS - 1);
      expect(await store.beat('i1', [scenario.held(1, 'provisioning', { lease: 'make' })])).toEqual({
        lost: [],
      });
      expect(await takeOver('i1', ['make'])).toEqual([]);
      clock.advance(1);
      expect(await store.beat('i1', [scenario.held(1, 'provisioning', { lease: 'make' })])).toEqual({
        lost: [worker(1)],
      });
      expect(await takeOver('i1', ['make'])).toEqual([worker(1)]);
    });

    it('takes over its own that it does not name', async () => {
      const { scenario, takeOver } = await opened();
      await scenario.idle([1, 2, 3]);
      await scenario.leased({ lease: 'a' });
      await scenario.leased({ lease: 'b' });
      await scenario.leased({ lease: 'c', instance: 'i2' });
      expect(await takeOver('i1', ['a'])).toEqual([worker(2)]);
      expect(await takeOver('i1', ['a', 'end-i1'])).toEqual([]);
      expect(await scenario.leased({ lease: 'b' })).toBeUndefined();
    });

    it('brings back what a store that was emptied knows no more', async () => {
      const { store, scenario, clock, takeOver } = await opened();
      const held = [
        scenario.held(1, 'busy', { lease: 'a' }),
        scenario.held(2, 'provisioning', { lease: 'b' }),
        scenario.held(3, 'terminating', { lease: 'c', seconds: 5 }),
      ];
      expect(await store.beat('i1', held)).toEqual({ lost: [] });
      expect(await store.beat('i1', held)).toEqual({ lost: [] });
      expect(await scenario.reserve(4, { max: 3 })).toBe('full');
      expect(await scenario.view(1)).toEqual({
        ...scenario.worker(1),
        ...{ state: 'busy', since: clock.now(), createdAt: clock.now(), instance: 'i1' },
      });
      expect(await scenario.release(1, { lease: 'a' })).toBe('idle');
      expect(await scenario.ready(2, { lease: 'b' })).toBe('done');
      expect(await scenario.acquire()).toMatchObject({ worker: worker(2), calls: 0 });
      expect(await scenario.acquire({ lease: 'm' })).toMatchObject({ worker: worker(1), calls: 1 });
      clock.advance(5);
      expect(await takeOver('i1', ['a', 'b', 'c', 'l', 'm'])).toEqual([worker(3)]);
      await store.gone(worker(3));
      expect(await scenario.state(3)).toBeUndefined();
    });

    it('is told what is not its any more, also where it gave it up', async () => {
      const { store, scenario } = await opened();
      await scenario.idle([1, 2]);
      await scenario.leased();
      await scenario.leased({ lease: 'm', instance: 'i2' });
      const lost = (await store.beat('i1', [
        scenario.held(1, 'busy'),
        scenario.held(2, 'busy'),
        scenario.held(2, 'busy', { lease: 'make-2' }),
      ])) satisfies { lost: string[] };
      expect(lost).toEqual({ lost: [worker(1), worker(2)] });
      expect(await scenario.release(2)).toBe('idle');
    });

    it('may hold thousands', async () => {
      const { store, scenario } = await opened();
      const held = Array.from({ length: 2_500 }, (_, n) => scenario.held(n, 'busy', { lease: `l${n}` }));
      expect(await store.beat('i1', held)).toEqual({ lost: [] });
      expect((await store.look()).workers).toHaveLength(2_500);
      expect((await store.known(held.map((one) => one.worker))).size).toBe(2_500);
      const others = held.map((one) => ({ ...one, lease: 'other' }));
      expect((await store.beat('i2', others)).lost).toHaveLength(2_500);
    });

    it('is forgotten when it holds nothing, or with the last worker', async () => {
      const { store, scenario, clock, dumpWorkers, takeOver } = await opened();
      await store.beat('i1', [scenario.held(1, 'terminating')]);
      await store.beat('i2', [scenario.held(2, 'terminating', { lease: 'm' })]);
      expect((await dumpWorkers()).instances).toEqual({ i1: clock.now(), i2: clock.now() });
      await store.beat('i1', []);
      expect((await dumpWorkers()).instances).toEqual({ i2: clock.now() });
      clock.advance(INSTANCE_SILENT_SECONDS);
      await takeOver('i3');
      expect((await dumpWorkers()).instances).toEqual({ i3: clock.now() });
      await store.gone(worker(1));
      await store.gone(worker(2));
      expect((await dumpWorkers()).instances).toEqual({});
    });
  });

  describe('a worker that nobody knows', () => {
    it('is taken in as idle, unless the function has enough', async () => {
      const { store, scenario, clock, dumpWorkers } = await opened();
      await scenario.reserve(1);
      expect(await store.adopt(scenario.worker(2), 1)).toBe('stale');
      expect(await store.adopt(scenario.worker(2), 2)).toBe('done');
      const before = await dumpWorkers();
      expect(await store.adopt(scenario.worker(2), 3)).toBe('stale');
      expect(await store.adopt(scenario.worker(1), 3)).toBe('stale');
      expect(await dumpWorkers()).toEqual(before);
      expect(await scenario.view(2)).toEqual({
        ...scenario.worker(2),
        ...{ state: 'idle', since: clock.now(), createdAt: clock.now(), instance: null },
      });
      expect(await store.known([worker(1), worker(2), worker(3)])).toEqual(new Set([worker(1), worker(2)]));
      expect(await store.known([])).toEqual(new Set());
      expect(await scenario.acquire()).toMatchObject({ worker: worker(2), calls: 0 });
    });
  });
}
