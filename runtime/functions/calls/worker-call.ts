import type { Readable } from 'node:stream';
import { RequestBody } from '../../http1/request-body.ts';
import { requestHead } from '../../http1/request-head.ts';
import type { ResponseHead } from '../../http1/response-head.ts';
import type { Asker, UpstreamConnection } from '../../http1/upstream-connection.ts';

export interface CallRequest {
  path: string;
  /** Names and values by turns, with how long the body is. */
  headers: string[];
  body: Readable | undefined;
}

const MOST_IN_ONE_PIECE = 16 * 1024;

/** Where an answer goes. */
export interface AnswerSink {
  /** Its bytes are there during the call only. False: no room for more, until the answer is told to go on. */
  write(bytes: Buffer, last: boolean): boolean;
  /** What was written is not whole, and will not be. */
  cut(): void;
}

/** What a worker says, before its body. `goOn`: there is room again. */
export interface AnswerHead {
  status: number;
  headers: readonly string[];
  goOn: () => void;
}

/** No byte of the call can have reached the worker: it may be made at another. */
export class NotReached extends Error {}

/** One call of a worker, made with the first and only byte that is sent. */
export class WorkerCall implements Asker {
  /** Resolves once the whole answer was passed on. Throws what went wrong. */
  readonly over: Promise<void>;
  readonly #connection: UpstreamConnection;
  readonly #respond: (head: AnswerHead) => AnswerSink;
  readonly #end: { resolve: () => void; reject: (reason: unknown) => void };
  #body: RequestBody | undefined;
  #sink: AnswerSink | undefined;
  #ended = false;
  #cancelled = false;

  /** `respond` may throw, where what is said can't be passed on: then nothing of it is. */
  constructor(
    connection: UpstreamConnection,
    { path, headers, body }: CallRequest,
    respond: (head: AnswerHead) => AnswerSink,
  ) {
    const { promise, ...end } = Promise.withResolvers<void>();
    this.over = promise;
    this.#end = end;
    this.#connection = connection;
    this.#respond = respond;
    try {
      const head = requestHead({ method: 'POST', path, headers });
      const whole = takeWhole(body, headers);
      if (whole !== undefined) connection.ask(this, 'POST', head + whole);
      else if (body !== undefined) this.#sendBody(head, isChunked(headers), body);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Something of the answer was passed on. */
  get hasBegun(): boolean {
    return this.#sink !== undefined;
  }

  /** It was given up before it had come to its end, or had failed. */
  get isCancelled(): boolean {
    return this.#cancelled;
  }

  /** Wherever it is, it goes no further. */
  cancel(reason: Error): void {
    if (this.#ended) return;
    this.#cancelled = true;
    this.#fail(reason);
  }

  head({ status, headers }: ResponseHead): void {
    this.#sink = this.#respond({ status, headers, goOn: () => this.#goOn() });
  }

  body(bytes: Buffer, last: boolean): boolean {
    const room = this.#sink?.write(bytes, last) ?? false;
    if (!last) return room;
    this.#ended = true;
    // The answer is over, and with it the call: what is left of the body has nobody to read it.
    this.#body?.drop();
    this.#end.resolve();
    return true;
  }

  drained(): void {
    this.#body?.goOn();
  }

  failed(failure: unknown): void {
    this.#fail(failure);
  }

  /** A body that breaks off must not look whole. */
  #sendBody(head: string, chunked: boolean, body: Readable): void {
    this.#connection.begin(this, 'POST', head, chunked);
    this.#body = new RequestBody(body, this.#connection, () => this.#fail(new Error('the body broke off')));
  }

  /** The connection may be another's by now. */
  #goOn(): void {
    if (!this.#ended) this.#connection.resume();
  }

  #fail(error: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#connection.destroy();
    this.#body?.drop();
    this.#end.reject(error);
    this.#sink?.cut();
  }
}

/** A body that is here already and small, as most are, goes out in one piece with the head; undefined: it is not. */
function takeWhole(body: Readable | undefined, headers: readonly string[]): string | undefined {
  if (body === undefined) return '';
  const length = Number(headerOf(headers, 'content-length') ?? Number.NaN);
  if (!(length <= MOST_IN_ONE_PIECE) || body.readableLength < length) return undefined;
  const bytes: Buffer | null = body.read(length);
  body.resume(); // to its end
  return bytes?.toString('latin1');
}

function isChunked(headers: readonly string[]): boolean {
  return headerOf(headers, 'transfer-encoding') !== undefined;
}

function headerOf(headers: readonly string[], wanted: string): string | undefined {
  const at = headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === wanted);
  return at < 0 ? undefined : headers[at + 1];
}
