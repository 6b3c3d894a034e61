import type { Response } from 'express';
import { z } from 'zod';
import { BerthError, type ErrorCode } from '../../contracts/errors.ts';
import type { ExecutionName } from '../../contracts/execution-record.ts';
import type { ExecutionOrder } from '../../conversations/executions/execution-request.ts';
import type { Executions } from '../../conversations/executions/executions.ts';
import { EventStream } from '../event-stream.ts';
import { conversationParam, executionParam } from '../identifiers.ts';
import { type Route, route } from '../route.ts';
import { sendJson } from '../send-json.ts';
import { mcpRules } from './egress-schemas.ts';
import { CONTAINER_ERRORS, callerOf } from './exec-routes.ts';
import { executeBody, execution, executionEvents, shownExecution } from './execution-schemas.ts';

const conversation = z.object({ id: conversationParam });
const one = z.object({ id: conversationParam, execution_id: executionParam });
const noQuery = z.strictObject({});
const listQuery = z.strictObject({ limit: z.coerce.number().int().min(1).max(1000).default(100) });
const eventsQuery = z.strictObject({
  after: z.coerce
    .number()
    .int()
    .nonnegative()
    .optional()
    .meta({ description: 'The number of the last event you have; `Last-Event-ID` says the same' }),
});
const LOOKING: ErrorCode[] = ['INVALID_ID', 'EXECUTION_NOT_FOUND', 'STORE_UNAVAILABLE'];
const STREAM =
  'Events with growing numbers: `container` first, then what the runner says (`text_delta`, `thinking`, `tool_use`, ' +
  '`tool_result`, `system`), `gap` in place of what is no longer kept, and exactly one `done` or `error` last.';

export function executionRoutes(executions: Executions, maxSeconds: number): Route[] {
  const body = executeBody(maxSeconds);
  return [
    route({
      method: 'post',
      path: '/v1/conversations/{id}/execute',
      tag: 'Executions',
      summary: 'Run an agent, or a script, and stream what it does',
      description: `${STREAM} One execution at a time in a conversation. With an \`Idempotency-Key\` the same request again within 24 h attaches to the same execution.`,
      access: 'use',
      params: conversation,
      query: noQuery,
      body,
      answers: {
        200: { description: 'The events', content: { 'text/event-stream': { events: executionEvents } } },
      },
      errors: [
        'INVALID_ID',
        'INVALID_REQUEST',
        'FORBIDDEN',
        'CONVERSATION_LOCKED',
        'IDEMPOTENCY_CONFLICT',
        'SANDBOX_EXHAUSTED',
        ...CONTAINER_ERRORS,
      ],
      async handle({ key, params, body, request, response, signal }) {
        const order = orderOf(body, idempotencyKey(request.headers['idempotency-key']));
        const name = await executions.begin(callerOf(key, params.id), order, signal);
        if (order.onDisconnect === 'cancel') {
          const gone = () => {
            if (!response.writableFinished) void executions.clientGone(name).catch(() => undefined);
          };
          if (signal.aborted) gone();
          else signal.addEventListener('abort', gone);
        }
        await sendEvents(executions, name, 0, response, signal);
      },
    }),
    route({
      method: 'get',
      path: '/v1/conversations/{id}/executions',
      tag: 'Executions',
      summary: 'List the executions of a conversation',
      access: 'use',
      params: conversation,
      query: listQuery,
      answers: {
        200: {
          description: 'The latest first; kept until 24 h after their end',
          content: {
            'application/json': z.object({ executions: z.array(execution) }).meta({ id: 'ExecutionList' }),
          },
        },
      },
      errors: ['INVALID_ID', 'INVALID_REQUEST', 'STORE_UNAVAILABLE'],
      async handle({ key, params, query, response }) {
        const records = await executions.list(key.tenant, params.id, query.limit);
        sendJson(response, 200, { executions: records.map(shownExecution) });
      },
    }),
    route({
      method: 'get',
      path: '/v1/conversations/{id}/executions/{execution_id}',
      tag: 'Executions',
      summary: 'Get an execution',
      access: 'use',
      params: one,
      query: noQuery,
      answers: { 200: { description: 'As it is now', content: { 'application/json': execution } } },
      errors: LOOKING,
      async handle({ key, params, response }) {
        const record = await executions.get(nameOf(key.tenant, params));
        sendJson(response, 200, shownExecution(record));
      },
    }),
    route({
      method: 'get',
      path: '/v1/conversations/{id}/executions/{execution_id}/events',
      tag: 'Executions',
      summary: 'Attach to an execution',
      description: `${STREAM} On any instance, from where \`Last-Event-ID\` or \`after\` says.`,
      access: 'use',
      params: one,
      query: eventsQuery,
      answers: {
        200: { description: 'The events', content: { 'text/event-stream': { events: executionEvents } } },
      },
      errors: ['INVALID_REQUEST', ...LOOKING],
      async handle({ key, params, query, request, response, signal }) {
        const name = nameOf(key.tenant, params);
        const after = query.after ?? lastEventId(request.headers['last-event-id']);
        await executions.get(name);
        await sendEvents(executions, name, after, response, signal);
      },
    }),
    route({
      method: 'post',
      path: '/v1/conversations/{id}/executions/{execution_id}/cancel',
      tag: 'Executions',
      summary: 'Cancel an execution',
      description: 'Its stream ends with an `error` of type `cancelled`. One that has ended stays as it is.',
      access: 'use',
      params: one,
      query: noQuery,
      answers: { 202: { description: 'It is being cancelled', content: { 'application/json': execution } } },
      errors: LOOKING,
      async handle({ key, params, response }) {
        const name = nameOf(key.tenant, params);
        await executions.cancel(name);
        sendJson(response, 202, shownExecution(await executions.get(name)));
      },
    }),
  ];
}

/** A stream that breaks is cut, never ended as if it were whole: the client attaches again where it was. */
async function sendEvents(
  executions: Executions,
  name: ExecutionName,
  after: number,
  response: Response,
  signal: AbortSignal,
): Promise<void> {
  using stream = new EventStream(response, signal);
  try {
    for await (const frames of executions.follow(name, after, signal)) await stream.sendFrames(frames);
    stream.end();
  } catch (error) {
    response.destroy();
    if (!signal.aborted) throw error;
  }
}

function nameOf(tenant: ExecutionName['tenant'], params: z.output<typeof one>): ExecutionName {
  return { tenant, conversation: params.id, execution: params.execution_id };
}

function orderOf(body: z.output<ReturnType<typeof executeBody>>, key: string | undefined): ExecutionOrder {
  const { timeout_seconds, on_disconnect, mcp_servers, ...rest } = body;
  const given = Object.entries(rest).filter(([, value]) => value !== undefined);
  return {
    // The cast: fields without a value are left out, and nothing else is changed.
    request: Object.fromEntries(given) as ExecutionOrder['request'],
    seconds: timeout_seconds,
    onDisconnect: on_disconnect,
    idempotencyKey: key,
    mcpServers: mcp_servers && mcpRules(mcp_servers),
  };
}

function idempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header;
  const message = 'wants 1 to 255 printable characters without spaces';
  throw new BerthError('INVALID_REQUEST', `Idempotency-Key ${message}`, {
    errors: [{ path: 'Idempotency-Key', message }],
  });
}

function lastEventId(header: string | string[] | undefined): number {
  if (header === undefined) return 0;
  if (typeof header === 'string' && /^\d{1,15}$/.test(header)) return Number(header);
  const message = 'wants the number of an event';
  throw new BerthError('INVALID_REQUEST', `Last-Event-ID ${message}`, {
    errors: [{ path: 'Last-Event-ID', message }],
  });
}
