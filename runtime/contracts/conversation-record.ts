import type { ContainerId, ConversationId, TenantId } from './ids.ts';

/** Milliseconds since 1970, by the store's clock. */
export type Instant = number;

export type ConversationStatus = 'preparing' | 'ready' | 'running' | 'idle' | 'draining';

/** Why a container is being ended: its user said so (with its saved files), its time is up, or it doesn't answer. */
export type DrainReason = 'purged' | 'deleted' | 'expired' | 'unhealthy';

/** What the store knows of a conversation that has a container, or is getting one. */
export interface ConversationRecord {
  tenant: TenantId;
  conversation: ConversationId;
  /** The incarnation: every write names it and is refused once the record has moved on. */
  container: ContainerId;
  manager: string;
  status: ConversationStatus;
  createdAt: Instant;
  claimedAt: Instant;
  lastActiveAt: Instant;
  /** Who prepares the container, and until when that holds; null once it is ready. */
  preparation: { owner: string; until: Instant } | null;
  /** Why it is `draining`; null in any other status. */
  drainReason: DrainReason | null;
  /** The version of its files that is in the object store; null while none is. */
  savedVersion: string | null;
}

/**
 * Which status may follow which. `running` and `idle` follow from the work in flight;
 * a record that is `gone` is no record.
 */
const NEXT: Record<ConversationStatus, readonly (ConversationStatus | 'gone')[]> = {
  preparing: ['ready', 'gone'],
  ready: ['running', 'draining', 'gone'],
  running: ['idle', 'draining', 'gone'],
  idle: ['running', 'draining', 'gone'],
  draining: ['gone'],
};

export function mayFollow(from: ConversationStatus, to: ConversationStatus | 'gone'): boolean {
  return NEXT[from].includes(to);
}
