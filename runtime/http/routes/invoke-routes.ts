import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Invocations, WorkerAnswer } from '../../functions/calls/invocation.ts';
import { functionParam } from '../identifiers.ts';
import { hasBody, letPass } from '../request-body.ts';
import { type Route, route } from '../route.ts';
import { isHopHeader, namedByConnection } from '../workspace-proxy/hop-headers.ts';
import { pump } from '../workspace-proxy/pump.ts';

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
async function passAnswer({ message, worker, coldStart }: WorkerAnswer, response: Response): Promise<void> {
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
  response.writeHead(message.statusCode ?? 502, [...passed(message.rawHeaders, NOT_FROM_WORKERS), ...ours]);
  const { promise: over, resolve } = Promise.withResolvers<void>();
  let begun = false;
  message.once('data', () => {
    begun = true;
  });
  pump(message, response, () => {
    response.end();
    resolve();
  });
  message.on('error', () => response.destroy()); // bytes cut short must not look whole
  message.once('close', () => {
    if (message.complete) return;
    response.destroy();
    resolve();
  });
  // A stream of events is open before its first event; what has a body goes out in one piece with its head.
  setImmediate(() => {
    if (!begun && !response.destroyed && !response.writableEnded) response.flushHeaders();
  });
  await over;
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
