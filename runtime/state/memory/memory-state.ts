import type { ConversationRecord, Instant } from '../../contracts/conversation-record.ts';
import type { ExecutionRecord } from '../../contracts/execution-record.ts';
import type { ContainerId, ConversationId, ExecutionId, TenantId, WorkId } from '../../contracts/ids.ts';
import type { LogEntry } from '../execution-store.ts';
import type { PoolSizes, WarmMember } from '../warm-pool-store.ts';
import { MemoryWorkers } from './memory-workers.ts';

export interface StoredRecord extends ConversationRecord {
  /** Who prepared it, kept after that to know a repeated confirmation by. */
  preparedBy: string;
  /** The id that the acquire which claimed it brought along, to know a repeat by; null for one that was not warm. */
  claimedFor: ContainerId | null;
}

export interface StoredExecution extends ExecutionRecord {
  relay: string;
  entries: LogEntry[];
  /** Of the frames in `entries`. */
  logBytes: number;
}

export interface StoredMember extends WarmMember {
  /** Who added it, to know a repeat by. */
  addedBy: string;
}

/** What the store knows, in the shape in which Redis keeps it. */
export class MemoryState {
  /** By `tenant:conversation`. */
  readonly records = new Map<string, StoredRecord>();
  /** Container → its record's name. */
  readonly reverse = new Map<ContainerId, string>();
  /** Container → deadline. */
  readonly reserved = new Map<ContainerId, Instant>();
  /** Container → when to look. */
  readonly expiry = new Map<ContainerId, Instant>();
  /** Container → work → end of its lease. */
  readonly work = new Map<ContainerId, Map<WorkId, Instant>>();
  readonly tenants = new Map<TenantId, Set<ConversationId>>();

  /** The oldest first. */
  readonly warm = new Map<ContainerId, StoredMember>();
  /** Members to come; each is reserved, too. */
  readonly starting = new Map<ContainerId, { owner: string; until: Instant }>();
  poolSizes: PoolSizes | undefined;
  demand = 0;

  /** By `tenant:conversation:execution`. */
  readonly executions = new Map<string, StoredExecution>();
  /** By `tenant:conversation`. */
  readonly executionIds = new Map<string, Set<ExecutionId>>();
  /** Running executions: end of their relay's lease. */
  readonly relays = new Map<string, Instant>();
  /** When each ended, the earliest first: to forget it, and before that its log. */
  readonly ended = new Map<string, Instant>();
  readonly endedLogs = new Map<string, Instant>();
  /** Who waits for a change of an execution. */
  readonly listeners = new Map<string, Set<() => void>>();

  readonly leases = new Map<string, { owner: string; until: Instant }>();

  readonly workers = new MemoryWorkers();
}

export function nameOf(tenant: TenantId, conversation: ConversationId): string {
  return `${tenant}:${conversation}`;
}

/** The record as callers get it. */
export function plain({ preparedBy: _, claimedFor: __, ...record }: StoredRecord): ConversationRecord {
  return copyOf(record);
}

/** Its own all through: what a caller does to it does not reach the store. */
export function copyOf<Record extends ConversationRecord>(record: Record): Record {
  return { ...record, preparation: record.preparation === null ? null : { ...record.preparation } };
}
