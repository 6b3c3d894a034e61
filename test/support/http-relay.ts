import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What becomes of a request. */
export type Fate =
  | 'pass'
  /** The connection breaks, and the service never hears of it. */
  | 'refuse'
  /** The service does it, and the connection breaks when it answers. */
  | 'lose'
  /** The service does it; of what it answers a byte is another. */
  | 'corrupt'
  /** The service never hears of it, and never answers. */
  | 'ignore'
  /** The same after the head of a stream of events. */
  | 'mute'
  | { status: number; headers?: Record<string, string>; body?: string | Buffer }
  /** So many events pass, and half of the next; then the connection breaks, or nothing comes any more. */
  | { events: number; end: 'cut' | 'freeze' };

export interface RelayedRequest {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
}

/** Stands before a service, counts what is asked of it, and does to it what a network does. */
export class HttpRelay implements AsyncDisposable {
  readonly requests: RelayedRequest[] = [];
  fate: (request: RelayedRequest, before: number) => Fate = () => 'pass';
  /** Requests that are not over. */
  underWay = 0;
  readonly #server: Server;
  readonly #target: string;

  private constructor(target: string) {
    this.#target = target;
    this.#server = createServer((inner, answer) => this.#serve(inner, answer));
  }

  static async open(target: string): Promise<HttpRelay> {
    const relay = new HttpRelay(target);
    relay.#server.listen(0, '127.0.0.1');
    await once(relay.#server, 'listening');
    return relay;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`; // a TCP server that listens has one
  }

  /** Those that asked for this, as `POST /v1/…`. */
  asked(start: string): RelayedRequest[] {
    return this.requests.filter(({ method, path }) => `${method} ${path}`.startsWith(start));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  #serve(inner: IncomingMessage, answer: ServerResponse): void {
    const seen = { method: inner.method ?? '', path: inner.url ?? '', headers: inner.headers };
    const fate = this.fate(seen, this.requests.length);
    this.requests.push(seen);
    this.underWay += 1;
    answer.once('close', () => {
      this.underWay -= 1;
    });
    if (fate === 'refuse') answer.destroy();
    else if (fate === 'ignore') inner.resume();
    else if (fate === 'mute') {
      inner.resume();
      answer.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    } else if (typeof fate === 'object' && 'status' in fate) {
      inner.resume();
      answer.writeHead(fate.status, fate.headers).end(fate.body);
    } else this.#pass(inner, answer, fate);
  }

  #pass(
    inner: IncomingMessage,
    answer: ServerResponse,
    fate: 'pass' | 'lose' | 'corrupt' | { events: number; end: string },
  ) {
    const { method, url, headers } = inner;
    const outer = request(`${this.#target}${url}`, { method, headers, agent: false }, (reply) => {
      reply.on('error', () => answer.destroy());
      if (fate === 'lose') {
        reply.resume();
        reply.once('end', () => answer.destroy());
        return;
      }
      answer.writeHead(reply.statusCode ?? 502, reply.headers);
      answer.flushHeaders();
      if (fate === 'corrupt')
        reply.once('data', (piece: Buffer) =>
          piece.writeUInt8(piece.readUInt8(piece.length >> 1) ^ 1, piece.length >> 1),
        );
      if (
        fate === 'pass' ||
        fate === 'corrupt' ||
        reply.headers['content-type']?.startsWith('text/event-stream') !== true
      )
        reply.pipe(answer);
      else passEvents(reply, answer, fate);
    });
    outer.on('error', () => answer.destroy());
    answer.once('close', () => outer.destroy());
    inner.on('error', () => outer.destroy());
    inner.pipe(outer);
  }
}

function passEvents(reply: IncomingMessage, answer: ServerResponse, fate: { events: number; end: string }) {
  let left = fate.events;
  let rest = '';
  reply.setEncoding('utf8');
  reply.on('data', (text: string) => {
    rest += text;
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      const frame = rest.slice(0, end + 2);
      rest = rest.slice(end + 2);
      if (left < 0) continue;
      if (frame.startsWith(':') || left > 0) answer.write(frame);
      else {
        const half = frame.slice(0, Math.floor(frame.length / 2));
        answer.write(half, () => {
          if (fate.end === 'cut') onceRead(() => answer.destroy());
        });
      }
      if (!frame.startsWith(':')) left -= 1;
    }
  });
  // One whose events were all to pass breaks at its end.
  reply.on('end', () => {
    if (left >= 0 && fate.end === 'cut') onceRead(() => answer.destroy());
  });
}

/** `fetch` throws away what it has when its connection breaks: whoever is in this process has read by then. */
function onceRead(then: () => void): void {
  setImmediate(() => setImmediate(() => setTimeout(then, 10)));
}
