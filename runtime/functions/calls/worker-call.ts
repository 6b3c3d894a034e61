import { type Agent, type ClientRequest, type IncomingMessage, request as openRequest } from 'node:http';
import type { Readable } from 'node:stream';

const MOST_HEADER_BYTES = 64 * 1024;

export interface CallRequest {
  path: string;
  /** Names and values by turns, with how long the body is. */
  headers: string[];
  body: Readable | undefined;
}

/** No byte of the call can have reached the worker: it may be made at another. */
export class NotReached extends Error {}

/** One call of a worker, made with the first and only byte that is sent. */
export class WorkerCall {
  /** The head of the answer, whose body is still to come. Throws `NotReached`, or what went wrong. */
  readonly answer: Promise<IncomingMessage>;
  readonly #call: ClientRequest;
  #reached = false;
  #cancelled = false;

  constructor(agent: Agent, { path, headers, body }: CallRequest) {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    this.answer = promise;
    const call = openRequest({
      agent,
      method: 'POST',
      path,
      headers,
      setHost: false,
      maxHeaderSize: MOST_HEADER_BYTES,
    });
    this.#call = call;
    let answered = false;
    const begin = () => {
      this.#reached = true;
      if (body === undefined) call.end();
      else passBody(body, call);
    };
    call.once('socket', (socket) => {
      if (socket.connecting) socket.once('connect', begin);
      else begin();
    });
    call.once('response', (message) => {
      // The answer is over, and with it the call: what is left of the body has nobody to read it.
      message.once('end', () => {
        if (!call.writableFinished) call.destroy();
      });
      answered = true;
      resolve(message);
    });
    call.once('upgrade', (_, socket) => {
      socket.destroy();
      reject(new Error('it opens another kind of connection'));
    });
    call.on('error', (error) =>
      reject(this.#reached || this.#cancelled ? error : new NotReached(error.message)),
    );
    call.once('close', () => {
      if (!answered) reject(new Error('it breaks off'));
    });
  }

  /** Wherever it is, it goes no further: what is read of its answer ends with an error. */
  cancel(reason: Error): void {
    this.#cancelled = true;
    this.#call.destroy(reason);
  }
}

/** As fast as it is taken. A body that breaks off breaks the call off: it must not look whole. */
function passBody(body: Readable, call: ClientRequest): void {
  body.on('data', (chunk: Buffer) => {
    if (!call.destroyed && !call.write(chunk)) body.pause();
  });
  call.on('drain', () => body.resume());
  call.once('close', () => body.resume());
  body.once('end', () => call.end());
  body.once('error', () => call.destroy(new Error('the body broke off')));
}
