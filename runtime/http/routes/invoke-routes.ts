import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Invocations, WorkerAnswer } from '../../functions/calls/invocation.ts';
import type { AnswerSink } from '../../functions/calls/worker-call.ts';
import { functionParam } from '../identifiers.ts';
import { hasBody, letPass } from '../request-body.ts';
import { type Route, route } from '../route.ts';
import { isHopHeader, namedByConnection } from '../workspace-proxy/hop-headers.ts';

/** Ours, or said anew. */
const NOT_FOR_WORKERS = new Set(['authorization', 'cookie', 'host', 'content-length', 'expect']);
/** They would reach further than the answer to this call. */
const NOT_FROM_WORKERS = new Set([
  'set-cookie',
  'clear-site-data',
  'alt-svc',
  'strict-transport-security',
  'service-worker-allowed',
  'content-security-policy',
  'x-content-type-options',
  'x-request-id',
]);

/** An answer that is whole and no larger goes out in one piece with its head. */
const MOST_IN_ONE_PIECE = 16 * 1024;

/** `service` throws where there are no functions. */
export function invokeRoutes(service: () => Invocations): Route[] {
  return [
    route({
      method: 'post',
      path: '/v1/functions/{name}/invoke',
      tag: 'Functions',
      summary: 'Call a function',
      description:
        'Body, content type and status pass through both ways, as they come. A call is made once: one that failed under way may have had effects.',
      access: 'use',
      params: z.object({ name: functionParam }),
      query: z.strictObject({}),
      body: 'stream',
      answers: {
        200: {
          description: "The worker's own answer, whatever its status",
          content: { '*/*': 'bytes' },
          headers: {
            'X-Berth-Worker': 'The worker that answered',
            'X-Berth-Cold-Start': '`true` for the first call of a worker',
          },
        },
      },
      errors: [
        'INVALID_ID',
        'FUNCTION_NOT_FOUND',
        'CAPACITY_EXCEEDED',
        'NOT_SUPPORTED',
        'WORKER_FAILED',
        'IMAGE_PULL_FAILED',
        'CONTAINER_CREATE_FAILED',
        'ACQUIRE_TIMEOUT',
        'FUNCTION_UNAVAILABLE',
        'BACKEND_UNAVAILABLE',
        'STORE_UNAVAILABLE',
        'SHUTTING_DOWN',
        'HEALTH_CHECK_FAILED',
        'INVOKE_TIMEOUT',
      ],
      async handle({ key, params, request, response, signal }) {
        await service().invoke(
          {
            of: { tenant: key.tenant, name: params.name },
            headers: workerHeaders(request),
            body: hasBody(request) ? request : undefined,
            client: signal,
          },
          (answer) => passAnswer(answer, response),
        );
        if (!request.complete && hasBody(request)) letPass(request); // answered before all of it was read
      },
    }),
  ];
}

function workerHeaders({ rawHeaders, headers }: Request): string[] {
  const length = headers['content-length'];
  const framing =
    headers['transfer-encoding'] === undefined
      ? ['Content-Length', length ?? '0']
      : ['Transfer-Encoding', 'chunked'];
  return ['Host', 'function', ...passed(rawHeaders, NOT_FOR_WORKERS), ...framing];
}

/** Throws only where what it says can't be passed on, before any of it is. */
function passAnswer(
  { status, headers, worker, coldStart, goOn }: WorkerAnswer,
  response: Response,
): AnswerSink {
  const ours = [
    'X-Berth-Worker',
    worker,
    'X-Berth-Cold-Start',
    String(coldStart),
    'X-Request-Id',
    String(response.getHeader('X-Request-Id') ?? ''),
    // What a tenant's program says is no page of the API's.
    'X-Content-Type-Options',
    'nosniff',
    'Content-Security-Policy',
    'sandbox',
  ];
  response.writeHead(status, [...passed(headers, NOT_FROM_WORKERS), ...ours]);
  let begun = false;
  // A stream of events is open before its first event; what has a body goes out in one piece with its head.
  const showHead = () => {
    if (!begun && !response.destroyed) response.flushHeaders();
  };
  return {
    write(bytes, last) {
      if (response.destroyed) return true; // nobody takes it any more
      if (bytes.length === 0 && !last) {
        setImmediate(showHead);
        return true;
      }
      begun = true;
      if (last) {
        // A text is sent in one piece with the head that goes before it.
        if (bytes.length <= MOST_IN_ONE_PIECE) response.end(bytes.toString('latin1'), 'latin1');
        else response.end(Buffer.from(bytes));
        return true;
      }
      const room = response.write(Buffer.from(bytes));
      if (!room) response.once('drain', goOn);
      return room;
    },
    cut: () => response.destroy(), // bytes cut short must not look whole
  };
}

/** Names and values by turns, without those for the neighbour only. */
function passed(rawHeaders: readonly string[], without: ReadonlySet<string>): string[] {
  const named = namedByConnection(rawHeaders);
  const kept: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    const lower = name.toLowerCase();
    if (isHopHeader(lower) || without.has(lower) || lower.startsWith('x-berth-')) continue;
    if (named?.has(lower) && lower !== 'content-length') continue;
    kept.push(name, rawHeaders[at + 1] ?? '');
  }
  return kept;
}
