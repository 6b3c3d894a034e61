import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface SeenRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

type Answer = (seen: SeenRequest, response: ServerResponse) => void;

/**
 * A server on this machine that stands for a host out there. It has an address of its own, since containers speak to
 * 127.0.0.1 without their proxy.
 */
export class Upstream implements AsyncDisposable {
  static readonly host = '127.0.0.2';
  readonly seen: SeenRequest[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** `answers`: by path; any other is answered with what was seen. */
  static async start(answers: Record<string, Answer> = {}, host = Upstream.host): Promise<Upstream> {
    const upstream: Upstream = new Upstream(
      createServer((request, response) => void upstream.#serve(request, response, answers)),
    );
    upstream.#server.listen(0, host);
    await once(upstream.#server, 'listening');
    return upstream;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port; // it listens on TCP
  }

  /** `host:port`. */
  get authority(): string {
    return `${(this.#server.address() as AddressInfo).address}:${this.port}`; // it listens on TCP
  }

  async #serve(
    request: IncomingMessage,
    response: ServerResponse,
    answers: Record<string, Answer>,
  ): Promise<void> {
    const { method = '', url: path = '', headers } = request;
    const seen = { method, path, headers, body: await text(request) };
    this.seen.push(seen);
    const answer = answers[path.split('?')[0] ?? ''] ?? ((_, to) => to.end(`${method} ${path}\n`));
    answer(seen, response);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
