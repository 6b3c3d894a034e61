import { setTimeout as sleep } from 'node:timers/promises';
import { BerthError } from '../../contracts/errors.ts';
import type { EngineClient } from './engine-client.ts';

const WATCH_MS = 2_500;
const LAST_LINES = 20;

interface Starting {
  engineId: string;
  /** What it is called in words to a person. */
  name: string;
  /** What it is expected to do: "its agent was ready". */
  until: string;
}

/** Fails the attempt when the container ends, or the engine goes, before `act` has done its waiting. */
export async function whileItRuns(
  engine: EngineClient,
  starting: Starting,
  attempt: AbortController,
  act: () => Promise<void>,
): Promise<void> {
  const done = new AbortController();
  void watch(engine, starting, attempt, done.signal);
  try {
    await act();
  } finally {
    done.abort();
  }
}

async function watch(
  engine: EngineClient,
  starting: Starting,
  attempt: AbortController,
  done: AbortSignal,
): Promise<void> {
  try {
    while (!done.aborted) {
      await sleep(WATCH_MS, undefined, { signal: done });
      await failIfEnded(engine, starting);
    }
  } catch (error) {
    if (!done.aborted) attempt.abort(error);
  }
}

async function failIfEnded(engine: EngineClient, { engineId, name, until }: Starting): Promise<void> {
  const found = await engine.inspect(engineId);
  if (found === undefined)
    throw new BerthError('CONTAINER_CREATE_FAILED', `${name} was removed while it started`);
  if (found.State.Status === 'running' || found.State.Status === 'created') return;
  const last = (await engine.logs(engineId, LAST_LINES)).trim();
  throw new BerthError(
    'CONTAINER_CREATE_FAILED',
    `${name} ended with exit code ${found.State.ExitCode} before ${until}${last === '' ? '' : `: ${last}`}`,
  );
}
