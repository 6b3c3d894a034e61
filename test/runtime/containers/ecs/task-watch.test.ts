import type { Task } from '@aws-sdk/client-ecs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TaskWatch } from '../../../../runtime/containers/ecs/task-watch.ts';

const EVERY_SECONDS = 0.05;
const arn = (n: number): string => `arn:task/${n}`;
const never = new AbortController().signal;

/** The lists of ARNs that were asked for, and what is answered. */
let calls: { at: number; arns: string[] }[];
let tasks: Map<string, Task>;
let fails: () => boolean;
let watch: TaskWatch;

beforeEach(() => {
  calls = [];
  tasks = new Map();
  fails = () => false;
  watch = new TaskWatch(async (arns) => {
    if (arns.length === 0) return []; // no call of the API's either
    calls.push({ at: performance.now(), arns });
    if (fails()) throw new Error('ECS is away');
    return arns.flatMap((wanted) => tasks.get(wanted) ?? []);
  }, EVERY_SECONDS);
});

afterEach(() => watch.close());

const runs = (n: number): void => void tasks.set(arn(n), { taskArn: arn(n), lastStatus: 'RUNNING' });
const running = (task: Task | 'missing'): true | undefined =>
  task !== 'missing' && task.lastStatus === 'RUNNING' ? true : undefined;

describe('watching tasks', () => {
  it('asks in one call for all that are waited for, and once a period', async () => {
    const began = performance.now();
    const waits = Array.from({ length: 30 }, (_, n) => watch.until(arn(n), running, never));
    await vi.waitFor(() => expect(calls.length).toBeGreaterThanOrEqual(3));
    for (let n = 0; n < 30; n += 1) runs(n);
    await Promise.all(waits);

    for (const { arns } of calls) expect(arns).toHaveLength(30);
    // A busy machine is late with one, and in time with the next: so they are counted, not the pauses between them.
    for (const [n, { at }] of calls.entries())
      expect(at - began).toBeGreaterThan(n * EVERY_SECONDS * 1000 - 5);
  });

  it('asks once for a task that several wait for', async () => {
    runs(1);
    await Promise.all([watch.until(arn(1), running, never), watch.until(arn(1), running, never)]);

    expect(calls.map(({ arns }) => arns)).toEqual([[arn(1)]]);
  });

  it('asks for at most 100 at once, and each of 250 gets its turn', async () => {
    for (let n = 0; n < 250; n += 1) runs(n);
    const looked = new Set<string>();
    const waits = Array.from({ length: 250 }, (_, n) =>
      watch.until(arn(n), () => (looked.add(arn(n)).size === 250 ? true : undefined), never).catch(() => {}),
    );
    await Promise.race(waits);

    for (const { arns } of calls) expect(arns).toHaveLength(100);
    expect(calls).toHaveLength(3);
  });

  it('tries again after a call that failed', async () => {
    runs(1);
    fails = () => calls.length < 3;
    await watch.until(arn(1), running, never);

    expect(calls).toHaveLength(3);
  });

  it('calls a task missing that the answer does not have', async () => {
    expect(await watch.until(arn(1), (task) => task, never)).toBe('missing');
  });

  it('throws what the judge throws, to the one whose judge it is', async () => {
    runs(1);
    const broken = watch.until(
      arn(1),
      () => {
        throw new Error('it ended');
      },
      never,
    );
    const other = watch.until(arn(1), running, never);

    await expect(broken).rejects.toThrow('it ended');
    expect(await other).toBe(true);
  });

  it('ends with its signal, and does not begin where that is over', async () => {
    const stop = new AbortController();
    const wait = watch.until(arn(1), () => undefined, stop.signal);
    stop.abort(new Error('given up'));

    await expect(wait).rejects.toThrow('given up');
    await expect(watch.until(arn(1), running, stop.signal)).rejects.toThrow('given up');
  });

  it('makes no call while nobody waits', async () => {
    runs(1);
    await watch.until(arn(1), running, never);
    const made = calls.length;
    // Another watch measures the time: it takes several turns meanwhile.
    const other: string[][] = [];
    const clock = new TaskWatch(async (arns) => {
      other.push(arns);
      return [];
    }, EVERY_SECONDS);
    await clock.until(arn(2), () => (other.length === 4 ? true : undefined), never);
    clock.close();

    expect(calls).toHaveLength(made);
    await watch.until(arn(1), running, never);
    expect(calls).toHaveLength(made + 1);
  });
});
