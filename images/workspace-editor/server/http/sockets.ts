import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { Problem } from '../problem.ts';
import { serveTerminal } from '../terminals/terminal-socket.ts';
import { serveWatch } from '../watch/watch-socket.ts';
import type { Editor } from './call.ts';
import { isSameOrigin } from './same-origin.ts';

const MAX_MESSAGE = 1024 * 1024;
const PING_MS = 30_000;

const server = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE, clientTracking: false });

/** Makes a WebSocket of a request, or answers what is wrong with it. */
export function openSocket(editor: Editor, req: IncomingMessage, stream: Duplex, head: Buffer): void {
  try {
    const serve = service(editor, req);
    server.handleUpgrade(req, stream, head, (socket) => {
      // The other side's faults close the socket; there is nothing else to do about them.
      socket.on('error', () => {});
      dropWhenDead(socket);
      serve(socket);
    });
  } catch (error) {
    const status = error instanceof Problem ? error.status : 500;
    if (status === 500) console.error('editor: %s failed:', req.url, error);
    stream.end(`HTTP/1.1 ${status} Refused\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
  }
}

function service(editor: Editor, req: IncomingMessage): (socket: WebSocket) => void {
  if (!isSameOrigin(req)) throw new Problem('FOREIGN_ORIGIN', 'Another page may not do this.');
  const [path = '', query = ''] = (req.url ?? '').split('?', 2);
  if (path === '/api/terminal') {
    const terminal = editor.terminals.find(new URLSearchParams(query).get('id'));
    return (socket) => serveTerminal(socket, terminal);
  }
  if (path === '/api/watch') {
    return (socket) => serveWatch(socket, editor.home);
  }
  throw new Problem('NOT_FOUND', 'There is no such route.');
}

/** A page whose machine sleeps never closes its socket. */
function dropWhenDead(socket: WebSocket): void {
  let alive = true;
  const beat = setInterval(() => {
    if (!alive) socket.terminate();
    alive = false;
    socket.ping();
  }, PING_MS);
  socket.on('pong', () => {
    alive = true;
  });
  socket.on('close', () => clearInterval(beat));
}
