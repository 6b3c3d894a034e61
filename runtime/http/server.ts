import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';
import { BerthError } from '../contracts/errors.ts';
import { StartFailure } from '../lifecycle/start-failure.ts';
import { PROBLEM_TYPE, problemOf } from './problem.ts';

const LAST_WORDS_MS = 1000;

/** The listening service. */
export class HttpServer {
  readonly #server: Server;
  readonly #ended: Promise<unknown>;

  constructor(app: Express) {
    this.#server = createServer({ keepAliveTimeout: 75_000, requestTimeout: 0, headersTimeout: 30_000 }, app);
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
