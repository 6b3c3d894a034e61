import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { z } from 'zod';
import type { ApiKey } from '../../access/api-key.ts';
import type { BinaryOutput, CommandEnd } from '../../agent-client/agent-client.ts';
import type { ExecRequest } from '../../contracts/agent-protocol.ts';
import type { ErrorCode } from '../../contracts/errors.ts';
import type { ConversationId } from '../../contracts/ids.ts';
import type { Caller } from '../../conversations/container-acquisition.ts';
import type { Conversations } from '../../conversations/conversations.ts';
import { EventStream } from '../event-stream.ts';
import { conversationParam } from '../identifiers.ts';
import { type Route, route } from '../route.ts';
import { sendJson } from '../send-json.ts';
import { execBody, execEvents, execResult } from './exec-schemas.ts';

const params = z.object({ id: conversationParam });
const noQuery = z.strictObject({});

/** Any call that may have to make a container can fail like this. */
export const CONTAINER_ERRORS: ErrorCode[] = [
  'CONVERSATION_DRAINING',
  'QUOTA_EXCEEDED',
  'CAPACITY_EXCEEDED',
  'CONTAINER_CRASHED',
  'CONTAINER_CREATE_FAILED',
  'IMAGE_PULL_FAILED',
  'IMAGE_PREPARING',
  'BACKEND_UNAVAILABLE',
  'STORE_UNAVAILABLE',
  'SHUTTING_DOWN',
  'START_TIMEOUT',
  'HEALTH_CHECK_FAILED',
];

export function execRoutes(conversations: Conversations, maxSeconds: number): Route[] {
  const body = execBody(maxSeconds);
  return [
    route({
      method: 'post',
      path: '/v1/conversations/{id}/exec',
      tag: 'Conversations',
      summary: 'Run a command',
      description:
        'Runs a command in the conversation, which comes to be at its first use. With `Accept: text/event-stream` ' +
        'the output comes as it is made: events `output {stream, text, bytes?}`, then one `exit` or `error`. ' +
        'When the client goes, the command is killed.',
      access: 'use',
      params,
      query: noQuery,
      body,
      answers: {
        200: {
          description: 'The command ended, or was killed at its timeout',
          content: { 'application/json': execResult, 'text/event-stream': { events: execEvents } },
        },
      },
      errors: ['INVALID_ID', 'INVALID_REQUEST', 'SANDBOX_EXHAUSTED', ...CONTAINER_ERRORS],
      async handle({ key, params, body, request, response, signal }) {
        const caller = callerOf(key, params.id);
        if (request.headers.accept?.includes('text/event-stream') === true) {
          await conversations.execStream(caller, agentRequest(body), signal, async (events, until) => {
            using stream = new EventStream(response, until);
            for await (const { type, ...event } of events) await stream.send(type, event);
            stream.end();
          });
          return;
        }
        const { output: _, ...result } = await conversations.exec(caller, agentRequest(body), signal);
        sendJson(response, 200, result);
      },
    }),
    route({
      method: 'post',
      path: '/v1/conversations/{id}/exec/binary',
      tag: 'Conversations',
      summary: "Run a command and get its stdout's bytes",
      description: 'The exit code is in `X-Exit-Code`: a header, or for more than 1 MiB of output a trailer.',
      access: 'use',
      params,
      query: noQuery,
      body,
      answers: {
        200: {
          description: 'The bytes of stdout',
          content: { 'application/octet-stream': 'bytes' },
          headers: {
            'X-Exit-Code': 'Absent when it was killed',
            'X-Timed-Out': '`true` when it was killed at its timeout',
          },
        },
      },
      errors: ['INVALID_ID', 'INVALID_REQUEST', 'SANDBOX_EXHAUSTED', ...CONTAINER_ERRORS],
      async handle({ key, params, body, response, signal }) {
        await conversations.execBinary(
          callerOf(key, params.id),
          agentRequest(body),
          signal,
          (output, until) => sendBinary(response, output, until),
        );
      },
    }),
  ];
}

export function callerOf(key: ApiKey, conversation: ConversationId): Caller {
  const { conversations, executions } = key.limits ?? {};
  return {
    tenant: key.tenant,
    conversation,
    ...(conversations === undefined ? {} : { conversationLimit: conversations }),
    ...(executions === undefined ? {} : { executionLimit: executions }),
  };
}

function agentRequest(body: z.output<ReturnType<typeof execBody>>): ExecRequest {
  const { timeout_seconds, cmd, cwd, env, stdin } = body;
  return {
    cmd,
    timeout: timeout_seconds,
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env }),
    ...(stdin === undefined ? {} : { stdin }),
  };
}

async function sendBinary(response: Response, output: BinaryOutput, signal: AbortSignal): Promise<void> {
  response.statusCode = 200;
  response.setHeader('Content-Type', 'application/octet-stream');
  if (output.ended !== undefined) {
    response.setHeaders(new Map(Object.entries(outcome(output.ended))));
    await pipeline(output.stdout, response, { signal });
    return;
  }
  response.setHeader('Trailer', 'X-Exit-Code, X-Timed-Out');
  await pipeline(output.stdout, response, { signal, end: false });
  response.addTrailers(outcome(output.end()));
  response.end();
}

/** Without the exit code there was none: it was killed. */
function outcome({ exitCode, timedOut }: CommandEnd): Record<string, string> {
  return {
    ...(exitCode === null ? {} : { 'X-Exit-Code': String(exitCode) }),
    'X-Timed-Out': String(timedOut),
  };
}
