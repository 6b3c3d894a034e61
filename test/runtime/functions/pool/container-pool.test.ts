import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BerthError } from '../../../../runtime/contracts/errors.ts';
import type { FunctionDefinition } from '../../../../runtime/functions/definitions/function-definition.ts';
import type { ContainerPool } from '../../../../runtime/functions/pool/container-pool.ts';
import type { LeasedWorker } from '../../../../runtime/functions/pool/local-leases.ts';
import { CallParts, definitionOf, never } from '../calls/call-parts.ts';

describe('the pool of a function', () => {
  let parts: CallParts;
  let pool: ContainerPool;
  const one = definitionOf({ scaling: { maxCapacity: 1 } });

  beforeEach(() => {
    parts = new CallParts(() => (_, response) => response.end());
    pool = parts.pools.of(one.of);
  });
  afterEach(() => parts[Symbol.asyncDispose]());

  const acquire = (definition: FunctionDefinition = one) => pool.acquire(definition, never);
  const codeOf = (promise: Promise<unknown>) =>
    promise.then(
      () => 'none',
      ({ code }) => code,
    );

  it('gives a worker that was released to the next, warm', async () => {
    const first = await acquire();
    expect(first.coldStart).toBe(true);
    await pool.release(first);

    expect(await acquire()).toMatchObject({ worker: first.worker, coldStart: false });
    expect(parts.backend.created).toEqual([first.worker]);
  });

  it('serves who came first, and makes no more than the maximum', async () => {
    const few = definitionOf({ scaling: { maxCapacity: 3 } });
    const served: number[] = [];
    let most = 0;
    let busy = 0;
    const calls = Array.from({ length: 30 }, async (_, index) => {
      const leased = await acquire(few);
      served.push(index);
      busy += 1;
      most = Math.max(most, busy);
      await new Promise((resolve) => setTimeout(resolve, 2));
      busy -= 1;
      await pool.release(leased);
    });
    await Promise.all(calls);

    expect(served).toEqual(served.toSorted((a, b) => a - b));
    expect(most).toBeLessThanOrEqual(3);
    expect(parts.backend.created.length).toBeLessThanOrEqual(3);
  });

  it('never gives one worker to two', async () => {
    const having = new Set<string>();
    const calls = Array.from({ length: 200 }, async () => {
      const leased = await acquire(definitionOf({ scaling: { maxCapacity: 4, queue: 200 } }));
      expect(having.has(leased.worker)).toBe(false);
      having.add(leased.worker);
      await new Promise((resolve) => setImmediate(resolve));
      having.delete(leased.worker);
      await pool.release(leased);
    });
    await Promise.all(calls);
    expect(await parts.states()).toEqual(Array(parts.backend.created.length).fill('idle'));
  });

  it('refuses who comes when as many wait as may', async () => {
    const small = definitionOf({ scaling: { maxCapacity: 1, queue: 2 } });
    const leased = await acquire(small);
    const waits = [acquire(small), acquire(small)];
    expect(await codeOf(acquire(small))).toBe('CAPACITY_EXCEEDED');

    await pool.release(leased);
    for (const wait of waits) await pool.release(await wait);
  });

  it('tells who waited too long, and the worker is for the next', async () => {
    const hasty = definitionOf({ scaling: { maxCapacity: 1, acquireTimeoutSeconds: 0.05 } });
    const leased = await acquire(hasty);
    expect(await codeOf(acquire(hasty))).toBe('ACQUIRE_TIMEOUT');
    await pool.release(leased);
    expect((await acquire(hasty)).worker).toBe(leased.worker);
  });

  it('gives nothing to who has gone, and loses nothing by it', async () => {
    const leased = await acquire();
    const gone = new AbortController();
    const wait = pool.acquire(one, gone.signal);
    const next = acquire();
    gone.abort(new Error('gone'));
    await expect(wait).rejects.toThrow('gone');
    await pool.release(leased);
    expect((await next).worker).toBe(leased.worker);

    await pool.release(await next);
    await expect(pool.acquire(one, AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
    await expect.poll(() => parts.states()).toEqual(['idle']);
  });

  it('honours a lease once: a second release does not free the worker of the next', async () => {
    const first = await acquire();
    await pool.release(first);
    const second = await acquire();
    await pool.release(first);
    expect(await parts.states()).toEqual(['busy']);
    await pool.evict(first);
    expect(await parts.states()).toEqual(['busy']);
    await pool.release(second);
    expect(await parts.states()).toEqual(['idle']);
  });

  describe('while another call is under way', () => {
    const two = definitionOf({ scaling: { maxCapacity: 2 } });
    let other: LeasedWorker;

    beforeEach(async () => {
      const [a, b] = [await acquire(two), await acquire(two)];
      await Promise.all([pool.release(a), pool.release(b)]);
      other = await acquire(two);
    });

    /** The worker of a call, released, and what the next one gets. */
    async function inTurn(next: FunctionDefinition = two): Promise<[LeasedWorker, LeasedWorker]> {
      const first = await acquire(two);
      void pool.release(first);
      return [first, await acquire(next)];
    }

    it('gives a worker to the next at once, and asks the store for none', async () => {
      const { first, second } = await vi.waitFor(async () => {
        const [first, second] = await inTurn();
        if (second.lease !== first.lease) await pool.release(second); // the machine stood still meanwhile
        expect(second.lease).toBe(first.lease);
        return { first, second };
      });
      expect(second).toMatchObject({ worker: first.worker, coldStart: false });
      // It is not the first one's any more, whatever that says.
      await pool.release(first);
      await pool.evict(first);
      expect(await parts.states()).toEqual(['busy', 'busy']);
      await Promise.all([pool.release(second), pool.release(other)]);
      expect(await parts.states()).toEqual(['idle', 'idle']);
    });

    it('gives it back after a while, so that others come to their turn', async () => {
      const leases = new Set<string>();
      await vi.waitFor(async () => {
        const leased = await acquire(two);
        leases.add(leased.lease);
        void pool.release(leased);
        expect(leases.size).toBeGreaterThan(2);
      });
      await pool.release(other);
      await expect.poll(() => parts.states()).toEqual(['idle', 'idle']);
    });

    it('gives it back when no call follows, and at the end', async () => {
      await pool.release(await acquire(two));
      expect(await parts.states()).toEqual(['busy', 'idle']);
      const last = await acquire(two);
      void pool.release(last);
      await parts.pools.close();
      expect(await parts.states()).toEqual(['busy', 'idle']);
    });

    it.each([
      ['another revision', { revision: 'r2' }],
      ['more time for a call', { timeoutSeconds: 600 }],
    ])('gives it to no call of a definition with %s', async (_, change) => {
      const [first, second] = await inTurn({ ...two, ...change });
      expect(second.lease).not.toBe(first.lease);
    });
  });

  it('ends one that is evicted, whatever is said of it then, and makes another for who waits', async () => {
    const bad = await acquire();
    const wait = acquire();
    await pool.evict(bad);
    await pool.release(bad);
    const next = await wait;
    expect(next.worker).not.toBe(bad.worker);
    expect(parts.backend.running).toEqual([next.worker]);
  });

  it('tells the first who waits why none could be made, and tries again for the next', async () => {
    let failures = 1;
    parts.backend.beforeCreate = async () => {
      if (failures-- > 0) throw new BerthError('CONTAINER_CREATE_FAILED', 'no such luck');
    };
    const [first, second] = [acquire(), acquire()];
    expect(await codeOf(first)).toBe('CONTAINER_CREATE_FAILED');
    const { worker } = await second;
    expect(parts.backend.running).toEqual([worker]);
  });

  it('ends those of another revision: the free ones at once, a busy one when it is released', async () => {
    const two = { scaling: { maxCapacity: 2 } };
    const [free, busy] = [await acquire(definitionOf(two)), await acquire(definitionOf(two))];
    await pool.release(free);

    const fresh = await acquire(definitionOf({ ...two, revision: 'r2' }));
    expect(parts.backend.created.indexOf(fresh.worker)).toBe(2);
    await expect.poll(() => parts.backend.running).toEqual([busy.worker, fresh.worker]);
    await pool.release(busy);
    await expect.poll(() => parts.backend.running).toEqual([fresh.worker]);
  });

  it('refuses who waits for a function that is deleted, and who waits at the end', async () => {
    const leased = await acquire();
    const wait = acquire();
    await expect.poll(() => pool.waiting).toBe(1);
    pool.use(undefined);
    expect(await codeOf(wait)).toBe('FUNCTION_NOT_FOUND');

    pool.use(one);
    const late = acquire();
    await expect.poll(() => pool.waiting).toBe(1);
    await parts.pools.close();
    expect(await codeOf(late)).toBe('SHUTTING_DOWN');
    await pool.release(leased);
  });

  it('wakes a paused one', async () => {
    const { worker, ...lease } = await acquire();
    await pool.release({ worker, ...lease });
    const [seen] = (await parts.store.look()).workers;
    await parts.store.take(worker, seen?.since ?? 0, { instance: 'i-1', lease: 'pausing', seconds: 5 });
    await parts.backend.pause(worker);
    await parts.store.park(worker, 'pausing');

    expect((await acquire()).worker).toBe(worker);
    expect((await parts.backend.inspect(worker))?.state).toBe('running');
  });

  it('leaves nothing behind when its last worker has ended', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    const leased: LeasedWorker = await acquire();
    const wait = acquire();
    await pool.release(leased);
    await pool.evict(await wait);
    await expect.poll(() => parts.states()).toEqual([]);

    await expect.poll(() => pool.isQuiet).toBe(true);
    parts.pools.tidy();
    expect(parts.pools.of(one.of)).not.toBe(pool);
    expect(parts.held.all()).toEqual([]);
    expect(parts.backend.running).toEqual([]);
    // Whoever polls has a timer of its own.
    const late = performance.now() + 10_000;
    while (timers() > before && performance.now() < late)
      await new Promise((resolve) => setImmediate(resolve));
    expect(timers()).toBeLessThanOrEqual(before);
  });
});
