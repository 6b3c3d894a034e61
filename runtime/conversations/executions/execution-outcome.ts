import type { AgentEvent } from '../../agent-client/execution-events.ts';
import type { ReplaceReason } from '../plan-recovery.ts';

/** How the agent's part in an execution ended, as its relay saw it. */
export type ExecutionOutcome =
  /** By itself: with the agent's last event. */
  | { kind: 'over'; event: AgentEvent }
  /** The agent let the deadline pass. */
  | { kind: 'out-of-time' }
  /** Its container is gone, or doesn't answer. */
  | { kind: 'lost'; reason: ReplaceReason; detail: string }
  /** Its conversation is being deleted under it. */
  | { kind: 'deleted' }
  /** Its container was ended: unhealthy, killed by an operator, or deleted. */
  | { kind: 'ended' }
  /** The agent never heard of it: who began it died first. */
  | { kind: 'never-ran' }
  /** The agent ran it, and no longer knows how it ended. */
  | { kind: 'forgotten' }
  /** It goes on, with another relay. */
  | { kind: 'handed-over' };

export class OutOfTime extends Error {}
export class HandedOver extends Error {}
