import type { Request, Response } from 'express';
import { z } from 'zod';
import type { ApiKey } from '../../access/api-key.ts';
import type { KeyRing } from '../../access/key-ring.ts';
import type { ConversationId, TerminalId } from '../../contracts/ids.ts';
import type { ConversationTerminals, Terminal } from '../../conversations/conversation-terminals.ts';
import { conversationParam, terminalParam } from '../identifiers.ts';
import { type Route, route } from '../route.ts';
import { sendJson } from '../send-json.ts';
import { acceptSocket, requireUpgrade } from '../terminals/accept-socket.ts';
import { CLOSE_CODES, closingOf } from '../terminals/closing.ts';
import { requireOwnOrigin } from '../terminals/own-origin.ts';
import { TerminalViewer } from '../terminals/terminal-viewer.ts';
import { CONTAINER_ERRORS, callerOf } from './exec-routes.ts';
import { socketQuery, terminal, terminalBody, terminalList } from './terminal-schemas.ts';

interface Parts {
  terminals: ConversationTerminals;
  ring: KeyRing;
  publicUrl: string | undefined;
}

const params = z.object({ id: conversationParam });
const oneParams = z.object({ id: conversationParam, terminal_id: terminalParam });
const noQuery = z.strictObject({});

const SOCKET_WORDS =
  'A WebSocket. Binary frames are bytes of the terminal, both ways; text frames are JSON. You send ' +
  '`{"type":"resize","cols":n,"rows":n}`. You get first `{"type":"attached","offset":n}`, the number of bytes of ' +
  'output before the next binary one (more than `after`: those between are no longer kept, 256 KiB are), and last ' +
  '`{"type":"exit","exit_code":n|null}` and close 1000. Other ends: 1001, attach again with `after` = offset + bytes ' +
  'received; 1013, you were too far behind, attach again; 1008, a frame or your key was refused; 1011, a failure; ' +
  '4404, the container is gone. Whoever can set no headers offers the subprotocols `berth.terminal` and ' +
  '`berth.key.<base64url of the key>`. An `Origin` has to be the service’s own.';

export function terminalRoutes(parts: Parts): Route[] {
  const { terminals } = parts;
  return [
    route({
      method: 'post',
      path: '/v1/conversations/{id}/terminals',
      tag: 'Conversations',
      summary: 'Open a terminal',
      description:
        'Starts a command in a terminal of its own, in the conversation, which comes to be at its first use. It lives on ' +
        'without anybody who looks at it, as long as its container; at most 16 in a conversation.',
      access: 'use',
      params,
      query: noQuery,
      body: terminalBody,
      answers: { 201: { description: 'It runs', content: { 'application/json': terminal } } },
      errors: ['INVALID_ID', 'INVALID_REQUEST', 'SANDBOX_EXHAUSTED', 'NOT_SUPPORTED', ...CONTAINER_ERRORS],
      async handle({ key, params: { id }, body, response, signal }) {
        const { cmd, cwd, env, cols, rows } = body;
        const request = {
          ...{ cols, rows },
          ...(cmd === undefined ? {} : { cmd }),
          ...(cwd === undefined ? {} : { cwd }),
          ...(env === undefined ? {} : { env }),
        };
        sendJson(response, 201, shown(id, await terminals.create(callerOf(key, id), request, signal)));
      },
    }),
    route({
      method: 'get',
      path: '/v1/conversations/{id}/terminals',
      tag: 'Conversations',
      summary: 'List terminals',
      description: 'One that has exited is among them for five minutes.',
      access: 'use',
      params,
      query: noQuery,
      answers: {
        200: { description: 'In order of their making', content: { 'application/json': terminalList } },
      },
      errors: ['INVALID_ID', 'CONVERSATION_NOT_FOUND', 'NOT_SUPPORTED', ...CONTAINER_ERRORS],
      async handle({ key, params: { id }, response, signal }) {
        const all = await terminals.list(callerOf(key, id), signal);
        sendJson(response, 200, { terminals: all.map((each) => shown(id, each)) });
      },
    }),
    route({
      method: 'delete',
      path: '/v1/conversations/{id}/terminals/{terminal_id}',
      tag: 'Conversations',
      summary: 'End a terminal',
      description: 'Ends its command and all that was started there.',
      access: 'use',
      params: oneParams,
      query: noQuery,
      answers: { 204: { description: 'It has ended' } },
      errors: ['INVALID_ID', 'TERMINAL_NOT_FOUND', 'NOT_SUPPORTED', ...CONTAINER_ERRORS],
      async handle({ key, params: { id, terminal_id }, response, signal }) {
        await terminals.end(callerOf(key, id), terminal_id, signal);
        response.status(204).end();
      },
    }),
    route({
      method: 'get',
      path: '/v1/conversations/{id}/terminals/{terminal_id}/socket',
      tag: 'Conversations',
      summary: 'Attach to a terminal',
      description: SOCKET_WORDS,
      access: 'use',
      params: oneParams,
      query: socketQuery,
      upgrades: 'websocket',
      answers: { 101: { description: 'The WebSocket is open' } },
      errors: [
        ...(['INVALID_ID', 'INVALID_REQUEST', 'FORBIDDEN', 'TERMINAL_NOT_FOUND', 'NOT_SUPPORTED'] as const),
        ...CONTAINER_ERRORS,
      ],
      handle: ({ key, params, query, request, response, signal }) =>
        attach(parts, { key, ...params, ...query, request, response, signal }),
    }),
  ];
}

interface Attaching {
  key: ApiKey;
  id: ConversationId;
  terminal_id: TerminalId;
  after: number;
  request: Request;
  response: Response;
  signal: AbortSignal;
}

/** Whatever goes wrong is a problem until the WebSocket is open, and told by how it closes from then on. */
async function attach({ terminals, ring, publicUrl }: Parts, call: Attaching): Promise<void> {
  const { key, id, terminal_id, after, request, response, signal } = call;
  requireOwnOrigin(request, publicUrl);
  const upgrade = requireUpgrade(request);
  const left = new AbortController();
  const until = AbortSignal.any([signal, left.signal]);
  let viewer: TerminalViewer | undefined;
  const onRevoked = () => void viewer?.close({ code: CLOSE_CODES.refused, reason: 'the key was taken back' });
  using _use = ring.use(key, onRevoked);
  try {
    await terminals.attach(callerOf(key, id), terminal_id, after, until, async (line, until) => {
      const socket = await acceptSocket(request, response, upgrade);
      const onGone = () => left.abort(new Error('the client has gone'));
      viewer = new TerminalViewer(socket, upgrade.socket, line, onGone);
      await viewer.show(until);
    });
  } catch (error) {
    if (viewer === undefined) throw error;
    await viewer.close(closingOf(error));
  }
}

function shown(conversation: ConversationId, { container, ...view }: Terminal): z.output<typeof terminal> {
  const { terminal_id, ...rest } = view;
  return { terminal_id, conversation_id: conversation, container_id: container, ...rest };
}
