import type { ExecutionName, ExecutionRecord, ExecutionStatus } from '../contracts/execution-record.ts';
import type { ConversationId, TenantId } from '../contracts/ids.ts';
import type { Fenced, Lifetimes } from './conversation-store.ts';

/**
 * Executions and their event logs. An execution is begun by `ConversationStore.acquire`; from then on one relay at a
 * time, which holds its lease, copies the agent's events into the log and ends it. Each write names the relay, so
 * one that was paused past its lease and wakes writes nothing.
 */
export interface ExecutionStore {
  get(name: ExecutionName): Promise<ExecutionRecord | undefined>;

  /** The latest first. */
  list(tenant: TenantId, conversation: ConversationId, limit: number): Promise<ExecutionRecord[]>;

  /** Makes the caller the relay, if none holds the lease (or it does already). */
  takeRelay(request: RelayRequest): Promise<TakeRelayResult>;

  /** Keeps the lease. */
  renewRelay(request: RelayRequest): Promise<Fenced>;

  /**
   * Adds events to the log and renews the lease. `after` is the number of the last event the log has now,
   * `agentSeq + offset` that of the last it has then; an append that is repeated changes nothing. The oldest entries
   * beyond `LOG_BYTES` go.
   */
  append(request: AppendRequest): Promise<Fenced>;

  /**
   * Ends a running execution: its last events, its status, and the end of its work (as `endWork`), in one step.
   * `stale` for who is not its relay, and when it has ended already.
   */
  finish(request: FinishRequest): Promise<Fenced>;

  /** Gives the lease up at once, for another instance to take. */
  leaveRelay(request: ExecutionName & { relay: string }): Promise<void>;

  /** Forgets a running execution that provably never reached its container, and ends its work: it may be begun again. */
  abandon(request: ExecutionName & { relay: string; ttl: Lifetimes }): Promise<Fenced>;

  /** Logged events after this number, the oldest first, about `maxBytes` of them (at least one entry). */
  read(name: ExecutionName, after: number, maxBytes: number): Promise<LoggedEvents | undefined>;

  /**
   * Resolves when there may be events after this number, or the execution may have ended; rejects when the signal
   * aborts. Any number may wait over one connection. It may resolve too soon, never too late by more than seconds.
   */
  changed(name: ExecutionName, after: number, signal: AbortSignal): Promise<void>;

  /** Running executions whose relay's lease has lapsed, the longest first. */
  withoutRelay(limit: number): Promise<ExecutionName[]>;

  /** Running executions over all tenants. */
  countRunning(): Promise<number>;
}

/** What a log keeps. */
export const LOG_BYTES = 1024 * 1024;

export interface RelayRequest extends ExecutionName {
  relay: string;
  leaseSeconds: number;
}

export type TakeRelayResult =
  | { kind: 'taken'; execution: ExecutionRecord }
  | { kind: 'held' }
  | { kind: 'ended' }
  | { kind: 'absent' };

/** Several events share an entry. */
export interface LogEntry {
  /** The numbers of the first and the last event in it, which has all between them. */
  readonly first: number;
  readonly last: number;
  /** At most 128 KiB: each event as the API sends it, a server-sent event with a blank line at its end. Never changed. */
  readonly frames: Buffer;
}

export interface AppendRequest extends RelayRequest {
  after: number;
  /** As `ExecutionRecord` has them, with these entries in the log. */
  agentSeq: number;
  offset: number;
  entries: LogEntry[];
}

export interface FinishRequest extends ExecutionName {
  relay: string;
  status: Exclude<ExecutionStatus, 'running'>;
  entries: LogEntry[];
  ttl: Lifetimes;
}

export interface LoggedEvents {
  entries: LogEntry[];
  /** Nothing follows these. */
  ended: boolean;
}
