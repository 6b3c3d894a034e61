import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { asProblem, Problem } from '../problem.ts';
import { type Editor, sendJson } from './call.ts';
import { methodsOf } from './routes.ts';
import { isSameOrigin } from './same-origin.ts';

/** Longer than a proxy keeps an unused connection, so that a request never meets one that is closing. */
const KEEP_ALIVE_MS = 75_000;

/**
 * Nothing runs or loads but what this server has. Styles may be inline: the editor and the terminal both write
 * `<style>` elements for their themes and measures, and without scripts a style does no harm here.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

const HEADERS = new Map([
  ['content-security-policy', POLICY],
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
  ['cross-origin-opener-policy', 'same-origin'],
  ['cross-origin-resource-policy', 'same-origin'],
]);

/**
 * The server of the page and its API, not listening yet. Uploads take as long as they take. Its parts are loaded with
 * the first request for them: a workspace that wakes must answer at once.
 */
export function createEditorServer(editor: Editor): Server {
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: KEEP_ALIVE_MS }, (req, res) => {
    void answer(editor, req, res);
  });
  server.on('upgrade', async (req, stream, head) => {
    stream.on('error', () => stream.destroy());
    const { openSocket } = await import('./sockets.ts');
    openSocket(editor, req, stream, head);
  });
  return server;
}

async function answer(editor: Editor, req: IncomingMessage, res: ServerResponse): Promise<void> {
  try {
    res.setHeaders(HEADERS);
    await handle(editor, req, res);
  } catch (error) {
    refuse(req, res, asProblem(error));
  }
}

async function handle(editor: Editor, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const [path = '', query = ''] = (req.url ?? '').split(/\?(.*)/s, 2);
  const reads = req.method === 'GET' || req.method === 'HEAD';
  if (reads && path === '/healthz') return sendJson(res, 200, { status: 'ok' });
  const { sendPageFile } = await import('./page-files.ts');
  if (reads && (await sendPageFile(path, req, res))) return;
  const methods = methodsOf(path);
  if (methods === undefined) throw new Problem('NOT_FOUND', 'There is no such page.');
  if (!isSameOrigin(req)) throw new Problem('FOREIGN_ORIGIN', 'Another page may not do this.');
  const handler = methods[req.method ?? ''];
  if (handler === undefined) {
    res.setHeader('allow', Object.keys(methods).join(', '));
    throw new Problem('METHOD_NOT_ALLOWED', `This has no ${req.method}.`);
  }
  await (await handler())({ editor, req, res, query: new URLSearchParams(query) });
}

function refuse(req: IncomingMessage, res: ServerResponse, error: unknown): void {
  if (res.destroyed) return;
  const problem = error instanceof Problem ? error : new Problem('INTERNAL', 'The editor failed at this.');
  if (problem !== error) console.error('editor: %s %s failed:', req.method, req.url, error);
  if (res.headersSent) {
    // Cut short on purpose: nobody may take it for whole.
    res.destroy();
    return;
  }
  // The rest of a body that is refused is not waited for.
  if (!req.complete) res.setHeader('connection', 'close');
  sendJson(res, problem.status, { code: problem.code, message: problem.message });
  if (!req.complete) req.resume();
}
