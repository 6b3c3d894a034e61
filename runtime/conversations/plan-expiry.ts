import type { ConversationRecord, Instant } from '../contracts/conversation-record.ts';
import type { ContainerId } from '../contracts/ids.ts';
import type { Due, Lifetimes } from '../state/conversation-store.ts';

export type ExpiryAction =
  /** No record names it: someone died while creating or stopping it. */
  | { kind: 'destroy'; container: ContainerId; reason: 'abandoned' }
  /** Nobody goes on with it. It is never saved from: it may be half restored. */
  | { kind: 'end'; record: ConversationRecord; reason: 'preparation-lapsed' }
  /** Whoever drained it is gone, or could not save its files then. */
  | { kind: 'finish'; record: ConversationRecord; reason: 'drain-left-over' }
  /** Refused by the store while work is in flight. */
  | { kind: 'drain'; record: ConversationRecord; reason: 'idle' | 'lifetime' };

/** What to do about what is due. A record whose time has not come after all gets nothing. */
export function planExpiry(due: Due, ttl: Lifetimes, now: Instant): ExpiryAction[] {
  return [
    ...due.reserved.map((container): ExpiryAction => ({ kind: 'destroy', container, reason: 'abandoned' })),
    ...due.live.flatMap((record) => planRecord(record, ttl, now)),
  ];
}

function planRecord(record: ConversationRecord, ttl: Lifetimes, now: Instant): ExpiryAction[] {
  if (record.preparation !== null) {
    return record.preparation.until <= now ? [{ kind: 'end', record, reason: 'preparation-lapsed' }] : [];
  }
  if (record.status === 'draining') return [{ kind: 'finish', record, reason: 'drain-left-over' }];
  if (record.createdAt + ttl.maxLifetimeSeconds * 1000 <= now)
    return [{ kind: 'drain', record, reason: 'lifetime' }];
  if (record.lastActiveAt + ttl.idleSeconds * 1000 <= now) return [{ kind: 'drain', record, reason: 'idle' }];
  return [];
}
