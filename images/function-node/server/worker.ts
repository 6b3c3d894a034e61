import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Handler } from './handler.ts';
import { Refusal, readJson } from './request-body.ts';
import { sendJson, sendResult } from './send-result.ts';

/** Longer than a caller keeps an unused connection, so that a call never meets one that is closing. */
const KEEP_ALIVE_MS = 75_000;

/** Whether no handler runs: asked before the first call, and after one that was broken off. */
const IDLE_PATH = '/_berth/idle';

export interface Worker {
  server: Server;
  /** Takes no more calls, and tells when those under way are over. */
  end(ended: () => void): void;
}

/** Not listening yet. A call takes as long as it takes: who makes it has a deadline. */
export function createWorker(handler: Handler): Worker {
  let underWay = 0;
  let running = 0;
  let ended: (() => void) | undefined;
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: KEEP_ALIVE_MS }, (req, res) => {
    if (req.method === 'GET' && req.url === IDLE_PATH)
      return sendJson(res, running === 0 ? 200 : 503, { idle: running === 0 });
    underWay += 1;
    running += 1;
    res.once('close', () => {
      underWay -= 1;
      if (underWay === 0) ended?.();
    });
    void answer(handler, req, res).finally(() => {
      running -= 1;
    });
  });
  return {
    server,
    end(then) {
      ended = then;
      server.close();
      if (underWay === 0) then();
    },
  };
}

async function answer(handler: Handler, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const gone = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) gone.abort(new Error('the caller has gone'));
  });
  const { method = '', url = '', headers } = req;
  const call = { method, path: url, headers, signal: gone.signal };
  try {
    const result = await handler.call(handler.raw ? req : await readJson(req), call);
    await sendResult(res, result, gone.signal);
  } catch (error) {
    if (gone.signal.aborted || req.socket.destroyed) return;
    refuse(res, error);
  }
}

function refuse(res: ServerResponse, error: unknown): void {
  if (error instanceof Refusal) {
    sendJson(res, error.status, { error: error.message });
    return;
  }
  console.error('function:', error);
  if (res.headersSent) {
    // Cut short on purpose: nobody may take it for whole.
    res.destroy();
    return;
  }
  for (const name of res.getHeaderNames()) res.removeHeader(name);
  sendJson(res, 500, { error: String(error) });
}
