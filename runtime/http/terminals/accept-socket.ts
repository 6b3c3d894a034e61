import type { Request, Response } from 'express';
import type { WebSocket, WebSocketServer } from 'ws';
import { BerthError } from '../../contracts/errors.ts';
import { type Upgrade, upgraded, upgradeOf } from '../upgrades.ts';

const PROTOCOL = 'berth.terminal';
/** Of one message: a large paste comes as one. */
const MAX_MESSAGE_BYTES = 1024 * 1024;

/** Throws `INVALID_REQUEST` for what is no handshake. */
export function requireUpgrade(request: Request): Upgrade {
  const upgrade = upgradeOf(request);
  const { 'sec-websocket-key': key = '', 'sec-websocket-version': version } = request.headers;
  if (upgrade !== undefined && version === '13' && /^[+/0-9A-Za-z]{22}==$/.test(key)) return upgrade;
  throw new BerthError('INVALID_REQUEST', 'this wants a WebSocket, version 13', {
    errors: [{ path: '', message: 'is no handshake of a WebSocket' }],
  });
}

let server: Promise<WebSocketServer> | undefined;

/** Loaded with the first. */
function webSockets(): Promise<WebSocketServer> {
  server ??= import('ws').then(
    ({ WebSocketServer }) =>
      new WebSocketServer({
        noServer: true,
        clientTracking: false,
        perMessageDeflate: false,
        maxPayload: MAX_MESSAGE_BYTES,
        // Never the one with the key.
        handleProtocols: (protocols) => (protocols.has(PROTOCOL) ? PROTOCOL : false),
      }),
  );
  return server;
}

/** From here on there is nothing to refuse any more: what goes wrong is told as the WebSocket closes. */
export async function acceptSocket(
  request: Request,
  response: Response,
  { socket, head }: Upgrade,
): Promise<WebSocket> {
  const sockets = await webSockets();
  const { promise, resolve, reject } = Promise.withResolvers<WebSocket>();
  socket.once('close', () => reject(new Error('the client has gone')));
  upgraded(response, socket);
  sockets.handleUpgrade(request, socket, head, resolve);
  return promise;
}
