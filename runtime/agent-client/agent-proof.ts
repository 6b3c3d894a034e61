import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AGENT_PROTOCOL, type AgentHealth } from '../contracts/agent-protocol.ts';
import { BerthError } from '../contracts/errors.ts';
import type { ContainerId, ConversationId, TenantId } from '../contracts/ids.ts';
import type { InstallationSecret } from '../identity/installation-secret.ts';
import type { AgentClient } from './agent-client.ts';
import { AgentMisbehaved, AgentUnreachable } from './agent-failures.ts';

const ATTEMPTS = 5;
const BETWEEN_ATTEMPTS_MS = 200;

/** One health check. Whoever answers must know this container's token and speak our protocol. */
export async function proveAgent(
  client: AgentClient,
  container: ContainerId,
  secret: InstallationSecret,
): Promise<AgentHealth> {
  const nonce = randomBytes(16).toString('hex');
  const health = await client.health(nonce);
  if (health.proof === undefined || !secret.provesAgent(container, nonce, health.proof)) {
    throw new AgentMisbehaved('it does not prove to be the agent of this container');
  }
  if (health.protocol !== AGENT_PROTOCOL) {
    throw new BerthError(
      'HEALTH_CHECK_FAILED',
      `the agent speaks protocol ${health.protocol}, not ${AGENT_PROTOCOL}`,
    );
  }
  return health;
}

/** Whether this agent was assigned to the very conversation that is meant. */
export function carriesTicketOf(
  health: AgentHealth,
  {
    container,
    tenant,
    conversation,
  }: { container: ContainerId; tenant: TenantId; conversation: ConversationId },
  secret: InstallationSecret,
): boolean {
  const ticket = secret.openTicket(health.ticket ?? '');
  return (
    ticket?.container_id === container &&
    ticket.tenant_id === tenant &&
    ticket.conversation_id === conversation
  );
}

/** The agent of a container that belongs to nobody yet. */
export async function proveUnassigned(
  client: AgentClient,
  container: ContainerId,
  secret: InstallationSecret,
): Promise<AgentHealth> {
  const health = await proveAgent(client, container, secret);
  if (health.ticket === null) return health;
  throw new AgentMisbehaved('it claims to be assigned before it was');
}

/** The agent of a container that has just started. */
export async function awaitAgent(
  client: AgentClient,
  container: ContainerId,
  secret: InstallationSecret,
  signal: AbortSignal,
): Promise<AgentHealth> {
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    try {
      return await proveUnassigned(client, container, secret);
    } catch (error) {
      if (!(error instanceof AgentUnreachable) || attempt === ATTEMPTS) throw error;
      await sleep(BETWEEN_ATTEMPTS_MS, undefined, { signal });
    }
  }
}
