import { readFileSync } from 'node:fs';
import { Berth } from '../../client/berth.ts';
import { BerthError } from '../../client/wire/berth-error.ts';
import type { AskingOptions } from '../asking-options.ts';
import { type Environment, Failure, UsageError } from '../command-spec.ts';
import { escaped } from '../terminal/escape.ts';
import { type FoundService, findService } from './find-service.ts';

interface Patience {
  /** How often what was lost is tried again. */
  retries?: number;
}

const LOOK_MS = 5000;

/** The service that this command line means. Nothing is asked of it yet. */
export async function openService(
  options: AskingOptions,
  env: Environment,
  { retries = 3 }: Patience = {},
): Promise<Berth> {
  const found = findService(options, env, readIfThere);
  if (found.key === undefined) return missingKey(found);
  return new Berth({ url: found.url, key: found.key, retries, fetch: firstContact(found) });
}

/** Until it has answered once, a service that does not is not there: trying again would only keep the user waiting. */
function firstContact(found: FoundService): (url: string, init: RequestInit) => Promise<Response> {
  let answered = false;
  return async (url, init) => {
    try {
      const answer = await fetch(url, init);
      answered = true;
      if (answer.status !== 401) return answer;
      await answer.body?.cancel();
    } catch (error) {
      if (answered || init.signal?.aborted === true) throw error;
      throw new BerthError('NOT_REACHED', notReached(found, error), { cause: error });
    }
    const detail = `${escaped(found.url)} does not take this key: ${found.keyFrom}`;
    throw new BerthError('UNAUTHENTICATED', detail, { status: 401 });
  };
}

async function missingKey(found: FoundService): Promise<never> {
  try {
    await fetch(found.url, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(LOOK_MS) });
  } catch (error) {
    throw new Failure(notReached(found, error));
  }
  const where = found.local ? `; ${found.keyFrom}, is not here` : '';
  throw new UsageError(
    `no key for ${escaped(found.url)}: set BERTH_API_KEY, or name a file with --key-file${where}`,
  );
}

function notReached({ url, local }: FoundService, error: unknown): string {
  const start = local ? '; start one with `berth start`' : `; ${reason(error)}`;
  return `nothing answers at ${escaped(url)}${start}`;
}

/** `fetch` says little by itself; its cause tells. */
function reason(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const { code, message } = cause instanceof Error ? (cause as NodeJS.ErrnoException) : {};
  return escaped(code ?? message ?? String(cause));
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined; // as `fs` documents it
    throw new Failure(`${escaped(path)} can't be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}
