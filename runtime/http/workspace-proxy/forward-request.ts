import {
  type ClientRequest,
  type IncomingMessage,
  request as openRequest,
  type ServerResponse,
} from 'node:http';
import { BerthError } from '../../contracts/errors.ts';
import { hasBody, letPass } from '../request-body.ts';
import { answerHeaders, passedTrailers } from './answer-headers.ts';
import { pump } from './pump.ts';
import type { Upstream } from './upstreams.ts';

/** A program that has said nothing for so long says nothing any more. Once it answers, it may take its time. */
const ANSWER_MS = 600_000;
const MOST_HEADER_BYTES = 64 * 1024;
/** What may be sent again where a kept connection was closed under it. */
const REPEATABLE = new Set(['GET', 'HEAD', 'OPTIONS']);

export interface Forwarded {
  upstream: Upstream;
  /** Path and query for the container. */
  path: string;
  headers: string[];
  prefix: string;
  /** As the user sees it. */
  host: string;
  /** Goes with the answer, beside the container's own. */
  setCookie: string | undefined;
}

/**
 * Passes a request to the container and its answer back. Resolves once the answer is over, or broken off after it
 * had begun; throws `WORKSPACE_NOT_ANSWERING` before that.
 */
export function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  to: Forwarded,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let again = REPEATABLE.has(request.method ?? '') && !hasBody(request);
  let current: ClientRequest;
  response.once('close', () => {
    current.destroy();
    if (!request.complete) letPass(request);
    resolve();
  });

  const send = () => {
    current = openUpstream(request, to);
    const sent = current;
    const silent = setTimeout(() => sent.destroy(new Error('it gives no answer')), ANSWER_MS);
    let answered = false;
    sent.once('close', () => {
      clearTimeout(silent);
      if (!answered && sent === current) reject(notAnswering('it breaks off'));
    });
    sent.once('upgrade', (_, socket) => {
      socket.destroy();
      reject(notAnswering('it opens another kind of connection'));
    });
    sent.once('response', (answer) => {
      clearTimeout(silent);
      answered = true;
      again = false;
      try {
        passAnswer(answer, response, to);
      } catch (error) {
        sent.destroy();
        reject(notAnswering('what it says is no valid HTTP', error));
      }
    });
    sent.on('continue', () => response.writeContinue());
    sent.on('information', (info) => passInformation(info, request, response));
    sent.on('error', (error) => {
      if (response.destroyed || response.writableEnded) return;
      if (response.headersSent) return void response.destroy(); // bytes cut short must not look whole
      if (again && sent.reusedSocket) {
        again = false;
        to.upstream.agent.dropIdle(); // what closed this one closed the others
        send();
        return;
      }
      reject(notAnswering(said(error), error));
    });
    if (hasBody(request)) passBody(request, sent);
    else sent.end();
  };
  send();
  return promise;
}

export function notAnswering(what: string, cause?: unknown): BerthError {
  const detail = `the program in the workspace does not answer on port 8080: ${what}`;
  return new BerthError('WORKSPACE_NOT_ANSWERING', detail, { retry_after: 2 }, cause);
}

/** Why a container could not be spoken to, in words that tell nothing of the inside. */
export function said(error: Error & { code?: string }): string {
  if (error.code === undefined) return error.message;
  if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') return 'nothing listens there';
  if (error.code === 'ECONNRESET' || error.code === 'EPIPE') return 'it broke the connection off';
  if (error.code.startsWith('HPE_')) return 'what it says is no valid HTTP';
  return `it can't be reached (${error.code})`;
}

function openUpstream(request: IncomingMessage, { upstream, path, headers }: Forwarded): ClientRequest {
  return openRequest({
    agent: upstream.agent,
    method: request.method,
    path,
    headers,
    setHost: false,
    maxHeaderSize: MOST_HEADER_BYTES,
  });
}

function passBody(request: IncomingMessage, sent: ClientRequest): void {
  // Its first byte may wait for what the container says to the head.
  if (request.headers['content-length'] === undefined || request.headers.expect !== undefined)
    sent.flushHeaders();
  pump(request, sent, () => {
    if (request.rawTrailers.length > 0) sent.addTrailers(passedTrailers(request.rawTrailers));
    sent.end();
  });
}

export function passAnswer(
  answer: IncomingMessage,
  response: ServerResponse,
  { prefix, host, setCookie }: Pick<Forwarded, 'prefix' | 'host' | 'setCookie'>,
): void {
  const headers = answerHeaders(answer.rawHeaders, { prefix, host });
  if (setCookie !== undefined) headers.push('Set-Cookie', setCookie);
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, headers);
  let begun = false;
  answer.once('data', () => {
    begun = true;
  });
  pump(answer, response, () => {
    begun = true;
    if (answer.rawTrailers.length > 0) response.addTrailers(passedTrailers(answer.rawTrailers));
    response.end();
  });
  answer.once('error', () => response.destroy());
  // A stream of events is open before its first event; what has a body goes out in one piece with its head.
  setImmediate(() => {
    if (!begun && !response.destroyed) response.flushHeaders();
  });
}

/** Early hints, and that it is being worked on. HTTP/1.0 knows none. */
function passInformation(
  info: { statusCode: number; rawHeaders: string[]; headers: NodeJS.Dict<string | string[]> },
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (request.httpVersion === '1.0' || response.headersSent) return;
  const link = info.headers.link;
  try {
    if (info.statusCode === 102) response.writeProcessing();
    if (info.statusCode === 103 && link !== undefined) response.writeEarlyHints({ link });
  } catch {
    // Hints that Node does not take are left out: the answer itself says the same.
  }
}
