import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { nameOf } from '../../../../runtime/contracts/function-key.ts';
import { WAITING_SECONDS } from '../../../../runtime/state/worker-store.ts';
import { worker } from '../names.ts';
import type { OpenState } from '../state-under-test.ts';
import { WorkerScenario } from './worker-scenario.ts';

export function workerWaitingContract(open: OpenState): void {
  /** With one who hears what is told. */
  const opened = async () => {
    const under = await open();
    const { workers } = under.state;
    const scenario = new WorkerScenario(workers);
    const heard: string[] = [];
    const stop = workers.onFree((of) => heard.push(of === undefined ? 'any' : nameOf(of)));

    /** Tells something, and gives what was told before that, since the last time. */
    let probes = 0;
    const told = async () => {
      await vi.waitFor(
        async () => {
          const of = `probe-${++probes}`;
          await scenario.acquire({ of, lease: of });
          await workers.adopt(scenario.worker(1, { of }), 1);
          // Not for long: told before it was listened for, it is not told again.
          const late = performance.now() + 500;
          while (!heard.includes(`acme:${of}`) && performance.now() < late) await sleep(2);
          expect(heard).toContain(`acme:${of}`);
        },
        { timeout: 10_000 },
      );
      return heard.splice(0).filter((of) => !of.startsWith('acme:probe-'));
    };
    await told();
    return { ...under, store: workers, scenario, heard, told, stop };
  };

  describe('who waits for a worker', () => {
    it('is told when one is to be had again', async () => {
      const { store, scenario, told } = await opened();
      await scenario.acquire();
      await scenario.idle([1]);
      expect(await told()).toEqual(['acme:f']);
      await scenario.leased();
      expect(await told()).toEqual([]);
      await scenario.release(1);
      expect(await told()).toEqual(['acme:f']);
      await scenario.park(1);
      expect(await told()).toEqual(['acme:f']);
      await scenario.leased();
      await store.evict(worker(1), 'l');
      expect(await told()).toEqual([]);
      await store.gone(worker(1));
      await store.gone(worker(1));
      expect(await told()).toEqual(['acme:f']);
      await store.adopt(scenario.worker(2), 1);
      expect(await told()).toEqual(['acme:f']);
    });

    it('is told nothing where nobody waits, and nothing of other functions', async () => {
      const { scenario, told } = await opened();
      await scenario.acquire({ of: 'g' });
      await scenario.idle([1]);
      await scenario.leased();
      await scenario.release(1);
      expect(await told()).toEqual([]);
    });

    it('is told for some seconds after it has last asked', async () => {
      const { scenario, clock, told } = await opened();
      await scenario.acquire();
      clock.advance(WAITING_SECONDS - 1);
      await scenario.idle([1]);
      expect(await told()).toEqual(['acme:f']);
      clock.advance(1);
      await scenario.leased();
      await scenario.release(1);
      expect(await told()).toEqual([]);
    });

    it('for a place among all is told of the next that is free, whosever it was', async () => {
      const { store, scenario, told } = await opened();
      await scenario.reserve(1);
      await store.evict(worker(1), 'make-1');
      expect(await scenario.reserve(2, { of: 'g', total: 1 })).toBe('no-room');
      await store.gone(worker(1));
      expect(await told()).toEqual(['any']);
    });

    it('hears no more when it has stopped', async () => {
      const { scenario, store, heard, stop } = await opened();
      const others = vi.fn();
      store.onFree(others);
      stop();
      await scenario.acquire();
      await scenario.idle([1]);
      await vi.waitFor(() => expect(others).toHaveBeenCalledWith(scenario.of()));
      expect(heard).toEqual([]);
    });
  });
}
