import { beforeEach, describe, expect, it } from 'vitest';
import { BerthError } from '../../../../runtime/contracts/errors.ts';
import type { FunctionKey } from '../../../../runtime/contracts/function-key.ts';
import type { FunctionDefinition } from '../../../../runtime/functions/definitions/function-definition.ts';
import { RecentDefinitions } from '../../../../runtime/functions/definitions/recent-definitions.ts';
import { functionKey } from './function-parts.ts';

const AWAY = new BerthError('STORE_UNAVAILABLE', 'the database does not answer');
const NEVER = new Promise<undefined>(() => {});
const hello = functionKey();

describe('definitions of a while ago', () => {
  let now: number;
  let reads: string[];
  /** What a read gives from now on. */
  let answer: (of: FunctionKey) => Promise<FunctionDefinition | undefined>;
  let recent: RecentDefinitions;

  beforeEach(() => {
    now = 1e6;
    reads = [];
    answer = async (of) => definition(1, of);
    recent = new RecentDefinitions(
      (of) => {
        reads.push(of.name);
        return answer(of);
      },
      () => now,
    );
  });

  const definition = (port: number, of = hello): FunctionDefinition => ({
    of,
    image: 'function-node:1',
    env: {},
    port,
    path: '/',
    timeoutSeconds: 60,
    resources: { cpus: 1, memoryMb: 512, pids: 256 },
    scaling: {
      minCapacity: 0,
      maxCapacity: 1,
      idleTimeoutSeconds: 300,
      acquireTimeoutSeconds: 30,
      queue: 100,
    },
    revision: `revision-${port}`,
    createdAt: new Date(0),
    updatedAt: new Date(0),
  });
  const port = async () => (await recent.find(hello))?.port;

  it('are read once for all who ask at once, and then once a second', async () => {
    expect(await Promise.all(Array.from({ length: 50 }, port))).toEqual(Array(50).fill(1));
    answer = async () => definition(2);
    now += 999;
    expect(await port()).toBe(1);
    expect(reads).toHaveLength(1);
    now += 1;
    expect(await Promise.all(Array.from({ length: 50 }, port))).toEqual(Array(50).fill(2));
    expect(reads).toHaveLength(2);
  });

  it('are as old as the beginning of their read, however long that took', async () => {
    const slow = Promise.withResolvers<FunctionDefinition>();
    answer = () => slow.promise;
    const first = port();
    now += 1000;
    slow.resolve(definition(1));
    expect(await first).toBe(1);
    answer = async () => definition(2);
    expect(await port()).toBe(2);
  });

  it('are remembered where there is none, too', async () => {
    answer = async () => undefined;
    expect(await recent.find(hello)).toBeUndefined();
    answer = async () => definition(1);
    now += 999;
    expect(await recent.find(hello)).toBeUndefined();
    now += 1;
    expect(await port()).toBe(1);
    expect(reads).toHaveLength(2);
  });

  it('are each their own', async () => {
    expect((await recent.find(functionKey('a')))?.of.name).toBe('a');
    expect((await recent.find(functionKey('b')))?.of.name).toBe('b');
    expect(reads).toEqual(['a', 'b']);
  });

  it('once forgotten are read anew, and a read of before counts no more', async () => {
    const before = Promise.withResolvers<FunctionDefinition>();
    answer = () => before.promise;
    const first = port();
    recent.forget(hello);
    answer = async () => definition(2);
    expect(await port()).toBe(2);
    before.resolve(definition(1));
    expect(await first).toBe(1);
    expect(await port()).toBe(2);
    recent.forget(hello);
    answer = async () => undefined;
    expect(await recent.find(hello)).toBeUndefined();
    recent.forget(hello);
    answer = async () => definition(3);
    expect(await port()).toBe(3);
  });

  describe('while nothing can be read', () => {
    it('are good for a minute, and asked for once a second', async () => {
      await port();
      answer = () => Promise.reject(AWAY);
      for (now += 1000; now < 1e6 + 60_000; now += 500) expect(await port()).toBe(1);
      expect(reads.length).toBeGreaterThan(50);
      expect(reads.length).toBeLessThanOrEqual(60);
      await expect(port()).rejects.toBe(AWAY);
      answer = async () => definition(2);
      expect(await port()).toBe(2);
    });

    it('are none where none was known', async () => {
      answer = () => Promise.reject(AWAY);
      await expect(port()).rejects.toBe(AWAY);
      answer = async () => undefined;
      await port();
      answer = () => Promise.reject(AWAY);
      now += 1000;
      await expect(port()).rejects.toBe(AWAY);
    });

    it('are none once they were changed', async () => {
      await port();
      answer = () => Promise.reject(AWAY);
      recent.forget(hello);
      await expect(port()).rejects.toBe(AWAY);
    });

    it('are none where they were changed during the read', async () => {
      await port();
      now += 1000;
      const read = Promise.withResolvers<FunctionDefinition>();
      answer = () => read.promise;
      const asked = port();
      recent.forget(hello);
      read.reject(AWAY);
      await expect(asked).rejects.toBe(AWAY);
    });

    it('are used after a moment where the read hangs, until it ends', async () => {
      await port();
      now += 1000;
      const read = Promise.withResolvers<FunctionDefinition>();
      answer = () => read.promise;
      expect(await Promise.all([port(), port()])).toEqual([1, 1]);
      answer = () => NEVER;
      // Nobody waits again: it is there before anything else can happen.
      const next = new Promise((resolve) => setImmediate(resolve, 'later'));
      expect(await Promise.race([port(), next])).toBe(1);
      expect(reads).toHaveLength(2);
      read.resolve(definition(2));
      await read.promise;
      await new Promise((resolve) => setImmediate(resolve));
      expect(reads).toHaveLength(2);
      now += 500;
      expect(await port()).toBe(2);
    });
  });

  it('that can’t be understood are an error, whatever was known', async () => {
    await port();
    now += 1000;
    answer = () => Promise.reject(new Error('damaged'));
    await expect(port()).rejects.toThrow('damaged');
  });

  it('are not pushed out by asking for what there is not', async () => {
    await port();
    answer = async () => undefined;
    for (let at = 0; at < 5_000; at += 1) await recent.find(functionKey(`nothing-${at}`));
    reads = [];
    expect(await port()).toBe(1);
    expect(reads).toEqual([]);
    await recent.find(functionKey('nothing-0'));
    expect(reads).toEqual(['nothing-0']);
  });

  it('are so many at most, and the oldest go', async () => {
    for (let at = 0; at < 2_001; at += 1) await recent.find(functionKey(`f-${at}`));
    reads = [];
    await recent.find(functionKey('f-1'));
    await recent.find(functionKey('f-2000'));
    await recent.find(functionKey('f-0'));
    expect(reads).toEqual(['f-0']);
  });
});
