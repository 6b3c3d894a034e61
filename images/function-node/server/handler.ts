import { mkdtempSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';

/** What a handler is told beside the request. */
export interface Call {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal;
}

export interface Handler {
  call(request: unknown, call: Call): unknown;
  /** It reads the body itself: its request is the stream. */
  raw: boolean;
}

const DEFAULT_FILE = '/app/handler.mjs';

/** Throws what is wrong with it, for a person to read. */
export async function loadHandler({ HANDLER_SOURCE, HANDLER_FILE }: NodeJS.ProcessEnv): Promise<Handler> {
  const file = HANDLER_SOURCE ? written(HANDLER_SOURCE) : resolve(HANDLER_FILE || DEFAULT_FILE);
  const name = HANDLER_SOURCE ? 'HANDLER_SOURCE' : file;
  let module: { default?: unknown; raw?: unknown };
  try {
    module = await import(pathToFileURL(file).href);
  } catch (error) {
    throw new Error(`${name} can't be loaded: ${inspect(error)}`);
  }
  const { default: handler, raw = false } = module;
  if (typeof handler !== 'function') throw new Error(`${name} has no function as its default export`);
  if (typeof raw !== 'boolean') throw new Error(`${name} exports a raw that is neither true nor false`);
  return { call: (request, call) => handler(request, call), raw };
}

/** As a file, so that a stack tells lines of it. */
function written(source: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'handler-')), 'handler.mjs');
  writeFileSync(file, source);
  return file;
}
