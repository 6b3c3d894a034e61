import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { redisAnswers } from './services/private-redis.ts';
import { describeWith } from './services/provided.ts';

const run = fileURLToPath(new URL('../run.ts', import.meta.url));

/** `npm test` for one file of the fixtures, as a user starts it: without what the run around it provides. */
function startRun(fixture: string) {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(TEST_RESULTS_FILE|TEST_REDIS_|TEST_RUN_|VITEST|CI$)/.test(name),
    ),
  );
  const config = fileURLToPath(new URL('fixtures/vitest.config.ts', import.meta.url));
  const child = spawn(process.execPath, [run, fixture, '--config', config], {
    env: { ...env, FORCE_COLOR: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data: Buffer) => {
      output += data;
    });
  }
  return { child, output: () => output, ended: once(child, 'exit').then(([code]) => code as number) };
}

const redisOf = (output: string): string => /begun at (redis:\S+)/.exec(output)?.[1] ?? 'none was told';

describeWith('redis-server', 'npm test', () => {
  it("ends with the counts, vitest's exit code and its Redis stopped", { timeout: 60_000 }, async () => {
    const { output, ended } = startRun('outcomes');
    expect(await ended).toBe(1);
    const lines = output().trim().split('\n');
    expect(lines.at(-1)).toBe('2 passed, 1 failed, 1 skipped');
    expect(lines).toContain('skipped: test/support/fixtures/outcomes.fixture.ts > is skipped');
    expect(await redisAnswers(redisOf(output()))).toBe(false);
  });

  it('stops vitest and the services on SIGTERM, and exits with 130', { timeout: 60_000 }, async () => {
    const { child, output, ended } = startRun('endless');
    await expect.poll(output, { timeout: 30_000 }).toContain('begun at');
    const url = redisOf(output());
    expect(await redisAnswers(url)).toBe(true);
    child.kill('SIGTERM');
    expect(await ended).toBe(130);
    expect(await redisAnswers(url)).toBe(false);
  });
});
