import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';
import { BerthError } from '../contracts/errors.ts';
import { StartFailure } from '../lifecycle/start-failure.ts';
import { PROBLEM_TYPE, problemOf } from './problem.ts';

const LAST_WORDS_MS = 1000;

/** Serves some requests before the API gets to see them. */
export interface RequestTaker {
  takes(request: IncomingMessage): boolean;
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Of a WebSocket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Serves upgrades to WebSockets of the API's own. */
export type UpgradeTaker = Pick<RequestTaker, 'takes' | 'upgrade'>;

/** The listening service. */
export class HttpServer {
  readonly #server: Server;
  readonly #ended: Promise<unknown>;

  constructor(app: Express, taker?: RequestTaker, sockets?: UpgradeTaker) {
    const taken = (request: IncomingMessage) => taker?.takes(request) === true;
    this.#server = createServer(
      {
        keepAliveTimeout: 75_000,
        requestTimeout: 0,
        headersTimeout: 30_000,
        // Clients that are gone without a word are noticed, be their streams ever so silent.
        keepAlive: true,
        keepAliveInitialDelay: 30_000,
        shouldUpgradeCallback: (request) =>
          isWebSocket(request) && (taken(request) || sockets?.takes(request) === true),
      },
      (request, response) => (taken(request) ? taker?.handle(request, response) : app(request, response)),
    );
    this.#server.on('checkContinue', (request, response) => {
      if (taken(request)) return taker?.handle(request, response);
      response.writeContinue();
      app(request, response);
    });
    this.#server.on('upgrade', (request, socket, head) =>
      (taken(request) ? taker : sockets)?.upgrade(request, socket, head),
    );
    this.#server.on('clientError', refuseMalformed);
    this.#ended = new Promise((resolve) => this.#server.once('close', resolve));
  }

  /** Resolves with the address that clients use. */
  async listen(host: string, port: number): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once('error', reject);
    this.#server.listen(port, host, resolve);
    await promise.catch((error) => {
      throw new StartFailure(
        `Can't listen on ${host}:${port} (${error.code ?? error.message}): ${wayOut(error.code)}`,
        1,
        error,
      );
    });
    const address = this.#server.address() as AddressInfo; // a TCP server that listens has one
    return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
  }

  /** Takes no new connections; those without a request under way are closed at once. */
  stopAccepting(): void {
    this.#server.close();
    this.#server.closeIdleConnections();
  }

  /** Answers that are being written may still go out; then every connection is cut. */
  async close(): Promise<void> {
    const cut = setTimeout(() => this.#server.closeAllConnections(), LAST_WORDS_MS);
    if (this.#server.listening) this.#server.close();
    await this.#ended;
    clearTimeout(cut);
  }
}

/** Any other upgrade is not offered, and the request answered as if nobody had asked for it. */
function isWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}

/** What is no HTTP never gets to a route, but is told in the same form. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable) return;
  const detail =
    error.code === 'HPE_HEADER_OVERFLOW' ? 'the headers are too large' : 'the request is no valid HTTP';
  const problem = JSON.stringify(problemOf(new BerthError('INVALID_REQUEST', detail), randomUUID()));
  const head = [
    'HTTP/1.1 400 Bad Request',
    `Content-Type: ${PROBLEM_TYPE}`,
    `Content-Length: ${Buffer.byteLength(problem)}`,
  ];
  socket.end([...head, 'Connection: close', '', problem].join('\r\n'));
}

function wayOut(code: string | undefined): string {
  if (code === 'EADDRINUSE') return 'something else listens there; set PORT to a free one';
  if (code === 'EACCES') return 'this user may not; set PORT above 1023';
  return 'set HOST to an address of this machine';
}
