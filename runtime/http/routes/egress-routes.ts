import { z } from 'zod';
import type { ConversationEgress } from '../../conversations/conversation-egress.ts';
import type { EgressSettings } from '../../egress-host/egress-settings.ts';
import type { RefusalView } from '../../overview/overview.ts';
import type { SettingsOwner } from '../../state/egress-settings-store.ts';
import { conversationParam } from '../identifiers.ts';
import { type Route, route } from '../route.ts';
import { sendJson } from '../send-json.ts';
import { egressBody, egressOf, mcpRules, shownEgress } from './egress-schemas.ts';

const one = z.object({ id: conversationParam });
const noQuery = z.strictObject({});
const answers = { 200: { description: 'As it is now', content: { 'application/json': shownEgress } } };

export function egressRoutes(
  egress: ConversationEgress,
  refusalsOf: (owner: SettingsOwner) => RefusalView[] | undefined,
): Route[] {
  const shown = (owner: SettingsOwner, settings: EgressSettings) => egressOf(settings, refusalsOf(owner));
  return [
    route({
      method: 'get',
      path: '/v1/conversations/{id}/egress',
      tag: 'Conversations',
      summary: 'Show what a conversation lets out in its own way',
      access: 'use',
      params: one,
      query: noQuery,
      answers,
      errors: ['INVALID_ID', 'STORE_UNAVAILABLE'],
      async handle({ key, params, response }) {
        const owner = { tenant: key.tenant, conversation: params.id };
        sendJson(response, 200, shown(owner, await egress.show(owner)));
      },
    }),
    route({
      method: 'put',
      path: '/v1/conversations/{id}/egress',
      tag: 'Conversations',
      summary: 'Set what a conversation lets out',
      description:
        'Within what the operator allows. What is not given stays as it is. It holds for the container that runs, connections that are open aside, and for those that follow, until the conversation is purged. It is kept even where it can not be applied yet and the answer is 503.',
      access: 'use',
      params: one,
      query: noQuery,
      body: egressBody,
      answers,
      errors: ['INVALID_ID', 'INVALID_REQUEST', 'FORBIDDEN', 'STORE_UNAVAILABLE', 'EGRESS_UNAVAILABLE'],
      async handle({ key, params, body, response }) {
        const owner = { tenant: key.tenant, conversation: params.id };
        const settings = await egress.change(owner, {
          ...(body.allowed_domains !== undefined && { allowedDomains: body.allowed_domains ?? undefined }),
          ...(body.mcp_servers && { mcpServers: mcpRules(body.mcp_servers) }),
        });
        sendJson(response, 200, shown(owner, settings));
      },
    }),
  ];
}
