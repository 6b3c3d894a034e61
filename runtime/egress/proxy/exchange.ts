import {
  type Agent,
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import type { EgressOutcome } from '../../contracts/egress.ts';
import { Refusal } from '../verdict/refusal.ts';
import { answerDenial, denialOf } from './answers.ts';
import { responseHeaders } from './forwarded-headers.ts';
import type { Limits } from './limits.ts';
import { codeOf, UpstreamFailure } from './upstream-failure.ts';
import type { Destination, PooledRequestOptions } from './upstreams.ts';
import type { Watched } from './watchdog.ts';

/** A request as it goes out. */
export interface Outgoing {
  readonly destination: Destination;
  readonly method: string;
  readonly path: string;
  /** Name, value, name, value: all of them but `Connection`, with `Host` and the body's framing. */
  readonly headers: readonly string[];
  /** `stream`: the client's, as it comes. */
  readonly body: 'none' | 'stream' | Buffer;
}

export type ExchangeEnd = { outcome: EgressOutcome } | { refused: unknown };

/** These may be sent again when a pooled connection turns out to be closed. */
const REPEATABLE = new Set(['GET', 'HEAD', 'OPTIONS']);
const MOST_ATTEMPTS = 3;

/** One request on its way to an upstream, and the answer on its way back; ends exactly once. */
export class Exchange implements Watched {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #client: Socket;
  readonly #limits: Limits;
  readonly #onEnd: (end: ExchangeEnd) => void;
  #upstream: ClientRequest | undefined;
  #answer: IncomingMessage | undefined;
  #attempts = 0;
  #ended = false;
  #release: (() => void) | undefined;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    limits: Limits,
    onEnd: (end: ExchangeEnd) => void,
  ) {
    this.#request = request;
    this.#response = response;
    this.#client = request.socket;
    this.#limits = limits;
    this.#onEnd = onEnd;
    response.on('finish', () => this.#end({ outcome: 'forwarded' }));
  }

  /** Whether a part of the answer may have gone to the client. */
  get answering(): boolean {
    return this.#response.headersSent;
  }

  /** Runs once it has ended, at once when it has already. */
  whenEnded(release: () => void): void {
    if (this.#ended) release();
    else this.#release = release;
  }

  send(outgoing: Outgoing, pool: Agent): void {
    if (this.#ended) return;
    try {
      this.#send(outgoing, pool);
    } catch (error) {
      // Node does not take the path or a header of it.
      this.fail(error);
    }
  }

  /** Ends it with an answer that says why, or by cutting the connection when an answer has begun. */
  fail(error: unknown): void {
    if (this.#ended) return;
    this.#end(error instanceof UpstreamFailure ? { outcome: error.outcome } : { refused: error });
    this.#upstream?.destroy();
    if (this.#response.headersSent) this.#client.destroy();
    else answerDenial(this.#response, denialOf(error), !this.#request.complete);
  }

  /** The client is gone. */
  abort(): void {
    this.#end({ outcome: 'forwarded' });
    this.#upstream?.destroy();
  }

  progress(): number {
    const { bytesRead = 0, bytesWritten = 0 } = this.#upstream?.socket ?? {};
    return this.#client.bytesRead + this.#client.bytesWritten + bytesRead + bytesWritten;
  }

  patienceMs(): number {
    return this.#answer || !this.#request.complete ? this.#limits.idleBodyMs : this.#limits.answerMs;
  }

  expire(): void {
    this.fail(new UpstreamFailure('timed_out', 'The request took too long, or stood still for too long.'));
  }

  #send(outgoing: Outgoing, pool: Agent): void {
    this.#attempts += 1;
    const options: PooledRequestOptions = {
      agent: pool,
      destination: outgoing.destination,
      method: outgoing.method,
      path: outgoing.path,
      headers: outgoing.headers,
    };
    const upstream = httpRequest(options);
    this.#upstream = upstream;
    upstream.on('response', (answer) => this.#pass(answer));
    upstream.on('upgrade', (_answer, socket) => {
      socket.destroy();
      this.fail(switched());
    });
    upstream.on('error', (error) => {
      const again =
        upstream.reusedSocket &&
        outgoing.body === 'none' &&
        REPEATABLE.has(outgoing.method) &&
        this.#attempts < MOST_ATTEMPTS;
      if (this.#ended || this.#upstream !== upstream || this.#answer) return;
      if (again) this.send(outgoing, pool);
      else this.fail(failureOf(error));
    });
    if (outgoing.body === 'stream') this.#stream(upstream);
    else if (outgoing.body === 'none') upstream.end();
    else upstream.end(outgoing.body);
  }

  #stream(upstream: ClientRequest): void {
    const request = this.#request;
    pour(request, upstream);
    request.on('end', () => upstream.end());
    // The framing broke in the middle of the body, or the client left: the upstream must not take it for whole.
    request.on('error', () => upstream.destroy());
  }

  #pass(answer: IncomingMessage): void {
    if (this.#ended) {
      answer.destroy();
      return;
    }
    // Without the headers that go with it, Node takes a switch for an answer.
    if (answer.statusCode === 101) {
      this.fail(switched());
      return;
    }
    this.#answer = answer;
    const response = this.#response;
    response.sendDate = false;
    try {
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, responseHeaders(answer.rawHeaders));
    } catch {
      this.#answer = undefined;
      this.fail(
        new UpstreamFailure('upstream_failed', "The host's answer has a head that can't be passed on."),
      );
      return;
    }
    pour(answer, response);
    answer.on('error', () => {});
    answer.on('end', () => this.#finish());
    answer.on('close', () => {
      if (!answer.complete)
        this.fail(new UpstreamFailure('upstream_failed', 'The host ended its answer too early.'));
    });
    // An answer whose body takes its time shows its head at once.
    setImmediate(() => {
      if (!this.#ended && !response.writableEnded) response.flushHeaders();
    });
  }

  #finish(): void {
    if (this.#ended || this.#answer?.complete !== true) return;
    this.#response.end();
    if (this.#request.complete) return;
    // The answer came before the body's end, so where the next request begins is not known.
    this.#response.on('finish', () => {
      this.#client.destroySoon();
      this.#upstream?.destroy();
    });
  }

  #end(end: ExchangeEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#release?.();
    this.#onEnd(end);
  }
}

/** Moves bytes as far as there is room; what came in crumbs goes on in one piece. The end is the caller's. */
function pour(from: Readable, to: Writable): void {
  let full = false;
  const move = () => {
    while (!full) {
      const chunk: Buffer | null = from.read();
      if (chunk === null) return;
      full = !to.write(chunk);
    }
  };
  from.on('readable', move);
  to.on('drain', () => {
    full = false;
    move();
  });
}

function switched(): UpstreamFailure {
  return new UpstreamFailure('upstream_failed', 'The host switched protocols, which nobody asked for.');
}

/** What a connection of ours fails with is told as it is; the rest is the upstream's doing. */
function failureOf(error: Error): Error {
  if (error instanceof Refusal || error instanceof UpstreamFailure) return error;
  return new UpstreamFailure('upstream_failed', `The host did not answer as HTTP has it: ${codeOf(error)}.`);
}
