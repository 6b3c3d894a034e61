import { type Agent, type IncomingMessage, request as openRequest } from 'node:http';
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

/** Makes the call; resolves with the head of the answer, whose body is still to come. Throws `NotReached`, or what went wrong. */
export function callWorker(
  agent: Agent,
  { path, headers, body }: CallRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  let reached = false;
  const call = openRequest({
    agent,
    method: 'POST',
    path,
    headers,
    setHost: false,
    maxHeaderSize: MOST_HEADER_BYTES,
    signal,
  });
  const begin = () => {
    reached = true;
    if (body === undefined) call.end();
    else passBody(body, call);
  };
  call.once('socket', (socket) => {
    if (socket.connecting) socket.once('connect', begin);
    else begin();
  });
  call.once('response', resolve);
  call.once('upgrade', (_, socket) => {
    socket.destroy();
    reject(new Error('it opens another kind of connection'));
  });
  call.on('error', (error) => reject(reached || signal.aborted ? error : new NotReached(error.message)));
  call.once('close', () => reject(new Error('it breaks off')));
  return promise;
}

/** As fast as it is taken. A body that breaks off breaks the call off: it must not look whole. */
function passBody(body: Readable, call: NodeJS.WritableStream & { destroy(error?: Error): unknown }): void {
  body.on('data', (chunk: Buffer) => {
    if (!call.write(chunk)) body.pause();
  });
  call.on('drain', () => body.resume());
  call.once('close', () => body.resume());
  body.once('end', () => call.end());
  body.once('error', () => call.destroy(new Error('the body broke off')));
}
