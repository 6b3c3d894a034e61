import { z } from 'zod';
import type { ConversationRecord } from '../../contracts/conversation-record.ts';
import type { Conversations } from '../../conversations/conversations.ts';
import { conversationParam } from '../identifiers.ts';
import { type Route, route } from '../route.ts';
import { sendJson } from '../send-json.ts';

const STATUSES = ['preparing', 'ready', 'running', 'idle', 'draining'] as const;

const conversation = z
  .object({
    conversation_id: z.string(),
    tenant_id: z.string(),
    container_id: z.string(),
    manager_type: z.string().meta({ description: 'The backend' }),
    status: z.enum(STATUSES),
    created_at: z.iso.datetime(),
    claimed_at: z.iso.datetime(),
    last_active_at: z.iso.datetime(),
    saved_version: z
      .string()
      .nullable()
      .meta({ description: 'Of its files in the object store; null while none are saved' }),
    expires_at: z.iso.datetime().meta({ description: 'When it ends if nothing is done with it' }),
  })
  .meta({ id: 'Conversation' });

const listQuery = z.strictObject({
  status: z.enum(STATUSES).optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  cursor: conversationParam.optional().meta({ description: '`next_cursor` of the page before' }),
});

const deleteQuery = z.strictObject({
  purge: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .meta({ description: 'The saved files go too; nothing is saved first' }),
});

export function conversationRoutes(conversations: Conversations): Route[] {
  const shown = (record: ConversationRecord): z.output<typeof conversation> => ({
    conversation_id: record.conversation,
    tenant_id: record.tenant,
    container_id: record.container,
    manager_type: record.manager,
    status: record.status,
    created_at: iso(record.createdAt),
    claimed_at: iso(record.claimedAt),
    last_active_at: iso(record.lastActiveAt),
    saved_version: record.savedVersion,
    expires_at: iso(conversations.expiresAt(record)),
  });
  const one = z.object({ id: conversationParam });
  return [
    route({
      method: 'get',
      path: '/v1/conversations',
      tag: 'Conversations',
      summary: 'List conversations that have a container',
      access: 'use',
      params: z.object({}),
      query: listQuery,
      answers: {
        200: {
          description: 'In order of id',
          content: {
            'application/json': z
              .object({ conversations: z.array(conversation), next_cursor: z.string().nullable() })
              .meta({ id: 'ConversationList' }),
          },
        },
      },
      errors: ['INVALID_REQUEST', 'STORE_UNAVAILABLE'],
      async handle({ key, query, response }) {
        const page = await conversations.list(key.tenant, {
          limit: query.limit,
          ...(query.status === undefined ? {} : { status: query.status }),
          ...(query.cursor === undefined ? {} : { after: query.cursor }),
        });
        sendJson(response, 200, { conversations: page.records.map(shown), next_cursor: page.next ?? null });
      },
    }),
    route({
      method: 'get',
      path: '/v1/conversations/{id}',
      tag: 'Conversations',
      summary: 'Get a conversation',
      access: 'use',
      params: one,
      query: z.strictObject({}),
      answers: { 200: { description: 'As it is now', content: { 'application/json': conversation } } },
      errors: ['INVALID_ID', 'CONVERSATION_NOT_FOUND', 'STORE_UNAVAILABLE'],
      async handle({ key, params, response }) {
        sendJson(response, 200, shown(await conversations.get(key.tenant, params.id)));
      },
    }),
    route({
      method: 'delete',
      path: '/v1/conversations/{id}',
      tag: 'Conversations',
      summary: 'Delete a conversation',
      description:
        'Takes no new work; what is in flight is waited for, then cancelled; the files are saved; then the container goes.',
      access: 'use',
      params: one,
      query: deleteQuery,
      answers: { 202: { description: 'It is draining' } },
      errors: ['INVALID_ID', 'CONVERSATION_NOT_FOUND', 'STORE_UNAVAILABLE'],
      async handle({ key, params, query, response }) {
        await conversations.delete(key.tenant, params.id, query.purge);
        sendJson(response, 202, { conversation_id: params.id, status: 'draining' });
      },
    }),
  ];
}

function iso(instant: number): string {
  return new Date(instant).toISOString();
}
