import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { conclude } from './support/conclude.ts';
import type { Results } from './support/count-results.ts';
import { type StartedServices, startServices } from './support/services/start-services.ts';

// `npm test`: finds or starts the services, runs vitest with whatever arguments it was given, stops what it started.

const say = (line: string): void => console.log(line);
const seconds = (since: number): string => ((performance.now() - since) / 1000).toFixed(1);

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (stopping.signal.aborted) process.exit(130);
    say('stopping; once more ends this at once, and leaves the services to the next run to clear');
    stopping.abort();
  });
}

process.exitCode = await main();

async function main(): Promise<number> {
  const began = performance.now();
  const services = await startServices({ say, signal: stopping.signal });
  let outcome: { code: number; results: Results } | undefined;
  try {
    if (!stopping.signal.aborted) {
      say(`services: ready in ${seconds(began)} s`);
      outcome = await runVitest(services);
    }
  } finally {
    await services.stop();
  }
  if (outcome === undefined || stopping.signal.aborted) return 130;
  const inCi = Boolean(process.env.CI) && process.env.CI !== 'false';
  const conclusion = conclude({ ...outcome, leftOut: services.leftOut, inCi });
  for (const line of conclusion.lines) say(line);
  return conclusion.exitCode;
}

/** vitest leads a process group of its own, so that what its tests left running ends with it. */
async function runVitest(services: StartedServices): Promise<{ code: number; results: Results }> {
  const resultsFile = join(services.folder, 'results.json');
  const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
  const child = spawn(process.execPath, [vitest, 'run', ...process.argv.slice(2)], {
    env: { ...process.env, ...services.env, TEST_RESULTS_FILE: resultsFile },
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  });
  const ended = once(child, 'exit').then(([code]) => Number(code ?? 1));
  const stop = async (): Promise<void> => {
    signalGroup(child.pid, 'SIGTERM');
    await Promise.race([ended, sleep(3_000)]);
    signalGroup(child.pid, 'SIGKILL');
  };
  stopping.signal.addEventListener('abort', stop, { once: true });
  const code = await ended;
  signalGroup(child.pid, 'SIGKILL');
  const broken: Results = { passed: 0, failed: 1, failures: [], skipped: 0, skippedTests: [] };
  return { code, results: existsSync(resultsFile) ? JSON.parse(readFileSync(resultsFile, 'utf8')) : broken };
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {} // the whole group has ended
}
