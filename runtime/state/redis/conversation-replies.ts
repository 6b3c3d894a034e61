import { z } from 'zod';
import type {
  ConversationRecord,
  ConversationStatus,
  DrainReason,
} from '../../contracts/conversation-record.ts';
import type { WorkId } from '../../contracts/ids.ts';
import { executionFields } from './execution-replies.ts';
import { container, conversation, execution, hash, maybeText, nothing, tenant, time } from './reply-parts.ts';

export const beginWorkResult = z.enum(['done', 'stale', 'draining', 'preparing']);
export const beginDrainResult = z.enum(['done', 'stale', 'busy']);
export const released = z.enum(['done', 'claimed']);
export const counts = z.tuple([z.int(), z.int(), z.int()]);
export const places = z.array(z.enum(['live', 'reserved', 'warm', '']));

// The cast: a work id has no form to check, and the set holds only what `beginWork` was given.
export const workIds = z.array(z.string().transform((text) => text as WorkId));

const STATUSES = {
  preparing: 'preparing',
  ready: 'ready',
  running: 'running',
  idle: 'idle',
  draining: 'draining',
} as const satisfies Record<ConversationStatus, ConversationStatus>;

const DRAIN_REASONS = {
  purged: 'purged',
  deleted: 'deleted',
  expired: 'expired',
  unhealthy: 'unhealthy',
} as const satisfies Record<DrainReason, DrainReason>;

const record = hash({
  container_id: container,
  conversation_id: conversation,
  tenant_id: tenant,
  manager_type: z.string(),
  status: z.enum(STATUSES),
  created_at: time,
  claimed_at: time,
  last_active_at: time,
  prepare_owner: z.string(),
  prepare_until: time.optional(),
  drain_reason: z.enum(DRAIN_REASONS).optional(),
  saved_version: z.string().optional(),
}).transform(
  (fields): ConversationRecord => ({
    tenant: fields.tenant_id,
    conversation: fields.conversation_id,
    container: fields.container_id,
    manager: fields.manager_type,
    status: fields.status,
    createdAt: fields.created_at,
    claimedAt: fields.claimed_at,
    lastActiveAt: fields.last_active_at,
    preparation:
      fields.prepare_until === undefined
        ? null
        : { owner: fields.prepare_owner, until: fields.prepare_until },
    drainReason: fields.drain_reason ?? null,
    savedVersion: fields.saved_version ?? null,
  }),
);

export const maybeRecord = z.union([nothing, record]);

export const confirmed = z.union([
  z.tuple([z.literal('live'), record]),
  z.tuple([z.enum(['done', 'stale'])]),
]);

export const exchanged = z.union([
  z.tuple([z.literal('claimed'), record]),
  z.tuple([z.enum(['empty', 'stale'])]),
]);

export const acquired = z.union([
  z.tuple([z.enum(['live', 'reserved', 'claimed', 'preparing', 'draining']), record]),
  z.tuple([z.enum(['no-room', 'over-quota', 'over-executions']), z.int(), z.int()]),
  z.tuple([z.literal('known'), executionFields]),
  z.tuple([z.literal('locked'), execution]),
  z.tuple([z.enum(['other-request', 'container-taken'])]),
]);

export const page = z.tuple([
  z.array(record),
  z.union([z.literal('').transform(() => undefined), conversation]),
]);

export const scanned = z.tuple([z.array(record), maybeText]);

export const due = z.tuple([z.array(container), z.array(record)]);
