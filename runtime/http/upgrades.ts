import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';
import type { Route } from './route.ts';

/** What a WebSocket is made of. */
export interface Upgrade {
  socket: Socket;
  /** What came right after the request. */
  head: Buffer;
}

const offered = new WeakMap<IncomingMessage, Upgrade>();

/** Of a request that asks for a WebSocket where there is one to be had. */
export function upgradeOf(request: IncomingMessage): Upgrade | undefined {
  return offered.get(request);
}

/**
 * Takes requests for WebSockets through the app like any other: its checks, its refusals and its log are theirs, too.
 * Their handler lets go of the response (`upgraded`) when it makes a WebSocket of one.
 */
export class Upgrades {
  readonly #app: Express;
  readonly #paths: readonly RegExp[];

  constructor(app: Express, routes: readonly Route[]) {
    this.#app = app;
    this.#paths = routes
      .filter(({ upgrades }) => upgrades !== undefined)
      .map(({ path }) => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`));
  }

  takes({ url = '' }: IncomingMessage): boolean {
    const [path = ''] = url.split('?', 1);
    return this.#paths.some((pattern) => pattern.test(path));
  }

  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    const socket = stream as Socket; // Node's server hands out its sockets
    socket.on('error', () => socket.destroy());
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => socket.destroySoon());
    offered.set(request, { socket, head });
    this.#app(request, response);
  }
}

/** The socket is no response's any more; who waits for that to close is told when the socket does. */
export function upgraded(response: ServerResponse, socket: Socket): void {
  response.detachSocket(socket);
  response.statusCode = 101;
  socket.once('close', () => {
    response.destroy();
    response.emit('close');
  });
}
