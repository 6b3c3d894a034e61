import type { ConversationRecord, Instant } from '../../contracts/conversation-record.ts';
import type { ContainerId, ConversationId, TenantId, WorkId } from '../../contracts/ids.ts';

export interface StoredRecord extends ConversationRecord {
  /** Who prepared it, kept after that to know a repeated confirmation by. */
  preparedBy: string;
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
}

export function nameOf(tenant: TenantId, conversation: ConversationId): string {
  return `${tenant}:${conversation}`;
}

/** The record as callers get it. */
export function plain({ preparedBy: _, ...record }: StoredRecord): ConversationRecord {
  return copyOf(record);
}

/** Its own all through: what a caller does to it does not reach the store. */
export function copyOf<Record extends ConversationRecord>(record: Record): Record {
  return { ...record, preparation: record.preparation === null ? null : { ...record.preparation } };
}
