import type { Instant } from './conversation-record.ts';
import type { ContainerId, ConversationId, ExecutionId, TenantId } from './ids.ts';

export type ExecutionStatus = 'running' | 'completed' | 'failed' | 'cancelled' | 'lost';

/** Which execution is meant. */
export interface ExecutionName {
  tenant: TenantId;
  conversation: ConversationId;
  execution: ExecutionId;
}

/** What the store knows of an execution, until 24 h after its end. */
export interface ExecutionRecord extends ExecutionName {
  status: ExecutionStatus;
  /** Of the request, so that one idempotency key means one request. */
  bodyHash: string;
  /** Where it runs. It never moves: a lost container ends it. */
  container: ContainerId;
  startedAt: Instant;
  deadline: Instant;
  endedAt: Instant | null;
  onDisconnect: 'continue' | 'cancel';
  /** The agent's number of the last of its events that is in the log; 0 while there is none. */
  agentSeq: number;
  /** How many events of the runtime's own are in the log. The last event's number is `agentSeq + offset`. */
  offset: number;
}
