import { describe, expect, it } from 'vitest';
import { UnderWay } from '../../../runtime/pool/under-way.ts';

describe('tasks under way', () => {
  it('take a place each until they end, and the end finds it free', async () => {
    const tasks = new UnderWay(2);
    const [one, two] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
    const ends: [string, number][] = [];
    for (const { promise } of [one, two]) tasks.add(promise, (name) => ends.push([name, tasks.free]));
    expect([tasks.size, tasks.free]).toEqual([2, 0]);
    one.resolve('one');
    await expect.poll(() => ends).toEqual([['one', 1]]);
    two.resolve('two');
    await tasks.settled();
    expect(ends).toEqual([
      ['one', 1],
      ['two', 2],
    ]);
  });

  it('are waited for with those that they lead to', async () => {
    const tasks = new UnderWay(1);
    let ended = false;
    const second = new Promise<void>((resolve) => setImmediate(resolve));
    tasks.add(Promise.resolve(), () =>
      tasks.add(second, () => {
        ended = true;
      }),
    );
    await tasks.settled();
    expect(ended).toBe(true);
  });
});
