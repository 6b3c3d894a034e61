import { hash } from 'node:crypto';
import type { ContainerSpec } from '../containers/container-backend.ts';
import { CONVERSATION_LIMITS } from '../contracts/container-limits.ts';
import {
  type ContainerId,
  type ConversationId,
  conversationContainerId,
  type TenantId,
} from '../contracts/ids.ts';
import { LABEL } from '../contracts/labels.ts';
import type { ConversationSettings } from './conversation-settings.ts';

const ANY = conversationContainerId('');

export interface KnownOwner {
  tenant: TenantId;
  conversation: ConversationId;
}

/** What a container and its egress proxy are known by; each opens nothing else. */
interface KnownBy {
  agentToken: string;
  proxyEnv: Record<string, string>;
}

/** The container of a conversation, in the words of the containers port. Of one for the pool the owner is not known yet. */
export function conversationContainer(
  id: ContainerId,
  owner: KnownOwner | undefined,
  { agentToken, proxyEnv }: KnownBy,
  settings: ConversationSettings,
): ContainerSpec {
  return {
    id,
    role: 'conversation',
    image: settings.image,
    env: {
      AGENT_TOKEN: agentToken,
      AGENT_VERSION: settings.version,
      AGENT_MAX_LIFETIME_SECONDS: String(settings.ttl.maxLifetimeSeconds),
      AGENT_IDLE_EXIT_SECONDS: String(settings.agentIdleSeconds),
      ...(settings.agentCommand === undefined ? {} : { AGENT_COMMAND: settings.agentCommand }),
    },
    proxyEnv,
    labels:
      owner === undefined ? {} : { [LABEL.tenant]: owner.tenant, [LABEL.conversationId]: owner.conversation },
    limits: CONVERSATION_LIMITS,
    network: 'none',
  };
}

/**
 * Tells containers apart that would be made otherwise now: a member of the pool with another is replaced. `proxyEnv`:
 * nobody's.
 */
export function containerMake(settings: ConversationSettings, proxyEnv: Record<string, string>): string {
  const nobodys = { agentToken: '', proxyEnv };
  const { image, env, limits, network } = conversationContainer(ANY, undefined, nobodys, settings);
  return `${image}#${hash('sha256', JSON.stringify({ env, proxyEnv, limits, network })).slice(0, 12)}`;
}
