import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { EgressOutcome } from '../../contracts/egress.ts';
import { AnswerFailure } from '../../http1/answer-failure.ts';
import { RequestBody } from '../../http1/request-body.ts';
import { requestHead } from '../../http1/request-head.ts';
import type { ResponseHead } from '../../http1/response-head.ts';
import type { Asker, UpstreamConnection } from '../../http1/upstream-connection.ts';
import { answerDenial, denialOf } from './answers.ts';
import { responseHeaders } from './forwarded-headers.ts';
import type { Limits } from './limits.ts';
import type { Outgoing } from './outgoing.ts';
import { UpstreamFailure, upstreamFailureOf } from './upstream-failure.ts';
import type { UpstreamPool } from './upstream-pool.ts';
import type { Watched } from './watchdog.ts';

export type ExchangeEnd = { outcome: EgressOutcome } | { refused: unknown };

/** These may be sent again when a pooled connection turns out to be closed. */
const REPEATABLE = new Set(['GET', 'HEAD', 'OPTIONS']);
/** A body that is whole and no larger goes out in one piece with its head. */
const MOST_IN_ONE_PIECE = 16 * 1024;

interface Sending {
  readonly outgoing: Outgoing;
  readonly head: string;
  readonly pool: UpstreamPool;
}

/** One request on its way to an upstream, and the answer on its way back; ends exactly once. */
export class Exchange implements Watched, Asker {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #client: Socket;
  readonly #limits: Limits;
  readonly #onEnd: (end: ExchangeEnd) => void;
  #sending: Sending | undefined;
  #upstream: UpstreamConnection | undefined;
  /** The request's, when it goes out as it comes. */
  #body: RequestBody | undefined;
  #answering = false;
  /** The answer's head has been written. */
  #shown = false;
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

  send(outgoing: Outgoing, pool: UpstreamPool): void {
    if (this.#ended) return;
    try {
      const sending = { outgoing, pool, head: requestHead(outgoing) };
      this.#sending = sending;
      const kept = pool.take(outgoing.destination);
      if (kept) this.#ask(kept, sending);
      else void this.#askAnew(sending);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Ends it with an answer that says why, or by cutting the connection when an answer has begun. */
  fail(reason: unknown): void {
    if (this.#ended) return;
    const error = reason instanceof AnswerFailure ? upstreamFailureOf(reason) : reason;
    this.#end(error instanceof UpstreamFailure ? { outcome: error.outcome } : { refused: error });
    this.#letGo();
    if (this.#response.headersSent) {
      this.#show();
      this.#client.destroy();
    } else {
      answerDenial(this.#response, denialOf(error), !this.#request.complete);
    }
  }

  /** The client is gone. */
  abort(): void {
    this.#end({ outcome: 'forwarded' });
    this.#letGo();
  }

  progress(): number {
    return this.#client.bytesRead + this.#client.bytesWritten + (this.#upstream?.progress ?? 0);
  }

  patienceMs(): number {
    return this.#answering || !this.#request.complete ? this.#limits.idleBodyMs : this.#limits.answerMs;
  }

  expire(): void {
    this.fail(new UpstreamFailure('timed_out', 'The request took too long, or stood still for too long.'));
  }

  head({ status, reason, headers }: ResponseHead): void {
    const response = this.#response;
    response.sendDate = false;
    try {
      response.writeHead(status, reason, responseHeaders(headers));
    } catch {
      throw new UpstreamFailure('upstream_failed', "The host's answer has a head that can't be passed on.");
    }
    this.#answering = true;
  }

  body(bytes: Buffer, last: boolean): boolean {
    const response = this.#response;
    if (last) {
      // A text is sent in one piece with the head that goes before it.
      if (bytes.length === 0) response.end();
      else if (bytes.length <= MOST_IN_ONE_PIECE) response.end(bytes.toString('latin1'), 'latin1');
      else response.end(Buffer.from(bytes));
      this.#shown = true;
      this.#finish();
      return true;
    }
    if (bytes.length === 0) {
      this.#show();
      return true;
    }
    this.#shown = true;
    const room = response.write(Buffer.from(bytes));
    if (!room) response.once('drain', () => this.#upstream?.resume());
    return room;
  }

  drained(): void {
    this.#body?.goOn();
  }

  failed(failure: unknown, stale: boolean): void {
    this.#upstream = undefined;
    const sending = this.#sending;
    const { body, method } = sending?.outgoing ?? {};
    if (stale && sending && body === 'none' && REPEATABLE.has(method ?? '')) void this.#askAnew(sending);
    else this.fail(upstreamFailureOf(failure));
  }

  async #askAnew(sending: Sending): Promise<void> {
    try {
      const connection = await sending.pool.open(sending.outgoing.destination);
      if (this.#ended) connection.destroy();
      else this.#ask(connection, sending);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Throws an UpstreamFailure. */
  #ask(connection: UpstreamConnection, { outgoing, head }: Sending): void {
    const { method, body } = outgoing;
    this.#upstream = connection;
    if (body === 'none') {
      connection.ask(this, method, head);
    } else if (typeof body !== 'string') {
      connection.ask(this, method, head, body);
    } else {
      connection.begin(this, method, head, body === 'chunks');
      // Broken on its way, or the client left: the upstream must not take it for whole.
      this.#body = new RequestBody(this.#request, connection, () => this.abort());
    }
  }

  /** A body that takes its time does not keep the head waiting. */
  #show(): void {
    if (!this.#shown) this.#response.flushHeaders();
    this.#shown = true;
  }

  /** The whole answer is on its way. */
  #finish(): void {
    // The connection goes back where it came from.
    this.#upstream = undefined;
    this.#body?.drop();
    if (this.#request.complete) return;
    // The answer came before the body's end, so where the next request begins is not known.
    this.#response.on('finish', () => this.#client.destroySoon());
  }

  /** Ends what is going on with the upstream. */
  #letGo(): void {
    this.#upstream?.destroy();
    this.#upstream = undefined;
    this.#body?.drop();
  }

  #end(end: ExchangeEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#release?.();
    this.#onEnd(end);
  }
}
