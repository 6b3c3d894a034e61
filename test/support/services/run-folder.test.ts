import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { kill, startFixture } from '../fixtures/start-fixture.ts';
import { isAlive } from './daemon.ts';
import { clearDeadRuns, makeRunFolder } from './run-folder.ts';

it('leaves a run that lives alone, and clears up after one that was killed', async () => {
  const { child, line } = await startFixture('dying-run.ts');
  const run = JSON.parse(line);
  await clearDeadRuns();
  expect(isAlive(run.daemon)).toBe(true);
  await kill(child);
  await clearDeadRuns();
  expect(isAlive(run.daemon)).toBe(false);
  expect(existsSync(run.folder)).toBe(false);
});

it('leaves its own folder alone', async () => {
  const folder = makeRunFolder();
  await clearDeadRuns();
  expect(existsSync(folder.path)).toBe(true);
  folder.remove();
  expect(existsSync(folder.path)).toBe(false);
});
