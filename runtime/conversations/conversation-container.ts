import type { ContainerSpec } from '../containers/container-backend.ts';
import { CONVERSATION_LIMITS } from '../contracts/container-limits.ts';
import type { ConversationRecord } from '../contracts/conversation-record.ts';
import { LABEL } from '../contracts/labels.ts';
import type { ConversationSettings } from './conversation-settings.ts';

/** The container of a conversation, in the words of the containers port. */
export function conversationContainer(
  record: ConversationRecord,
  agentToken: string,
  settings: ConversationSettings,
): ContainerSpec {
  return {
    id: record.container,
    role: 'conversation',
    image: settings.image,
    env: {
      AGENT_TOKEN: agentToken,
      AGENT_VERSION: settings.version,
      AGENT_MAX_LIFETIME_SECONDS: String(settings.ttl.maxLifetimeSeconds),
      AGENT_IDLE_EXIT_SECONDS: String(2 * settings.ttl.idleSeconds),
    },
    labels: { [LABEL.tenant]: record.tenant, [LABEL.conversationId]: record.conversation },
    limits: CONVERSATION_LIMITS,
    network: 'none',
  };
}
