import type { ContainerView } from '../containers/container-backend.ts';
import type { ContainerId, ExecutionId } from '../contracts/ids.ts';
import type { Ticket } from '../identity/ticket.ts';
import type { AdoptRequest } from '../state/adoption-store.ts';
import type { Lifetimes } from '../state/conversation-store.ts';
import type { Doubt, Testimony } from './testimony.ts';

/** A container and the ticket that names it. */
export interface Claim {
  container: ContainerView;
  ticket: Ticket;
  executions: ExecutionId[];
}

export interface AdoptionPlan {
  adopt: Claim[];
  /** Not adopted: each gets a reserved place, unless it has one, and is ended. */
  leave: { container: ContainerId; reason: Doubt | 'superseded' }[];
}

/** Of two tickets for one conversation the later claim wins; what shows no ticket of its own is nobody's. */
export function planAdoption(
  seen: readonly { container: ContainerView; testimony: Testimony }[],
): AdoptionPlan {
  const leave: AdoptionPlan['leave'] = [];
  const winners = new Map<string, Claim>();
  for (const { container, testimony } of seen) {
    if (testimony.kind === 'none') {
      leave.push({ container: container.id, reason: testimony.why });
      continue;
    }
    const { ticket, executions } = testimony;
    const claim = { container, ticket, executions };
    const conversation = `${ticket.tenant_id}:${ticket.conversation_id}`;
    const other = winners.get(conversation);
    if (other !== undefined) {
      const loser = beats(claim, other) ? other : claim;
      leave.push({ container: loser.container.id, reason: 'superseded' });
      if (loser === claim) continue;
    }
    winners.set(conversation, claim);
  }
  return { adopt: [...winners.values()], leave };
}

/** Claims of the same millisecond are told apart by id, so that whoever plans decides the same. */
function beats(one: Claim, other: Claim): boolean {
  const later = one.ticket.claimed_at - other.ticket.claimed_at;
  return later === 0 ? one.container.id > other.container.id : later > 0;
}

/** What an operator decides, as far as adoption needs it. Times are seconds. */
export interface AdoptionSettings {
  backend: string;
  ttl: Lifetimes;
  executionTimeout: number;
}

export function adoptRequest(
  { container, ticket, executions }: Claim,
  settings: AdoptionSettings,
): AdoptRequest {
  return {
    tenant: ticket.tenant_id,
    conversation: ticket.conversation_id,
    container: container.id,
    manager: settings.backend,
    // It was made for a claim or before one: an engine whose clock is ahead adds nothing to its life.
    createdAt: Math.min(container.createdAt, ticket.claimed_at),
    claimedAt: ticket.claimed_at,
    savedVersion: ticket.restored_version,
    executions,
    executionSeconds: settings.executionTimeout,
    ttl: settings.ttl,
  };
}
