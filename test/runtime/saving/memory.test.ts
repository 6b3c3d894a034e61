import { truncateSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SavingScenario } from './saving-scenario.ts';

const MiB = 1024 * 1024;
const scenario = SavingScenario.use();

/** How much larger the process gets while something goes on. */
async function growthDuring(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage().rss;
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 10);
  await work().finally(() => clearInterval(timer));
  return most - before;
}

it('a large file passes through a bounded piece of memory', async () => {
  scenario.one.write('large', 'begins');
  truncateSync(scenario.one.path('large'), 400 * MiB);
  expect(await growthDuring(() => scenario.saved(scenario.one))).toBeLessThan(200 * MiB);
  expect(await growthDuring(() => scenario.restore(scenario.two))).toBeLessThan(200 * MiB);
});
