import { describe, expect, it } from 'vitest';
import { OneAtATime } from '../../../runtime/pool/one-at-a-time.ts';
import { must } from '../../support/must.ts';

/** Runs that end when the test says so. */
function runs() {
  const open: PromiseWithResolvers<void>[] = [];
  let atOnce = 0;
  let most = 0;
  const runner = new OneAtATime(async () => {
    const run = Promise.withResolvers<void>();
    open.push(run);
    atOnce += 1;
    most = Math.max(most, atOnce);
    await run.promise.finally(() => {
      atOnce -= 1;
    });
  });
  return { runner, open, most: () => most };
}

describe('asked for while it runs', () => {
  it('runs once more after, however often it was asked', async () => {
    const { runner, open, most } = runs();
    const first = runner.run();
    const later = [runner.run(), runner.run(), runner.run()];
    expect(open).toHaveLength(1);
    must(open[0]).resolve();
    await first;
    await expect.poll(() => open.length).toBe(2);
    must(open[1]).resolve();
    await Promise.all(later);
    expect([open.length, most()]).toEqual([2, 1]);
  });

  it('runs never twice at once, whenever it is asked', async () => {
    const { runner, open, most } = runs();
    let all = Promise.all([runner.run(), runner.run()]);
    for (let round = 0; round < 20; round += 1) {
      must(open.at(-1)).resolve();
      for (let turn = 0; turn < round % 5; turn += 1) await Promise.resolve();
      all = Promise.all([...([all] as Promise<unknown>[]), runner.run()]) as typeof all;
    }
    const ended = all.then(() => true);
    while (!(await Promise.race([ended, new Promise((next) => setImmediate(next, false))])))
      for (const run of open) run.resolve();
    expect(most()).toBe(1);
  });

  it('runs again after a failure, which whoever asked for that run is told', async () => {
    const { runner, open } = runs();
    const first = runner.run();
    const second = runner.run();
    must(open[0]).reject(new Error('once'));
    await expect(first).rejects.toThrow('once');
    await expect.poll(() => open.length).toBe(2);
    must(open[1]).resolve();
    await second;
  });
});
