import { z } from 'zod';
import type {
  ConversationRecord,
  ConversationStatus,
  DrainReason,
} from '../../contracts/conversation-record.ts';
import { BerthError } from '../../contracts/errors.ts';
import { parseContainerId, parseConversationId, parseTenantId, type WorkId } from '../../contracts/ids.ts';

/** What the scripts answer. Anything else is a fault and throws. */

export const fenced = z.enum(['done', 'stale']);
export const beginWorkResult = z.enum(['done', 'stale', 'draining', 'preparing']);
export const beginDrainResult = z.enum(['done', 'stale', 'busy']);
export const released = z.enum(['done', 'claimed']);
export const instant = z.int();
export const counts = z.tuple([z.int(), z.int()]);

export const container = named(parseContainerId);
const conversation = named(parseConversationId);
const time = z.iso.datetime({ precision: 3 }).transform((text) => Date.parse(text));

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
  deleted: 'deleted',
  expired: 'expired',
  unhealthy: 'unhealthy',
} as const satisfies Record<DrainReason, DrainReason>;

const hash = z.object({
  container_id: container,
  conversation_id: conversation,
  tenant_id: named(parseTenantId),
  manager_type: z.string(),
  status: z.enum(STATUSES),
  created_at: time,
  claimed_at: time,
  last_active_at: time,
  prepare_owner: z.string(),
  prepare_until: time.optional(),
  drain_reason: z.enum(DRAIN_REASONS).optional(),
});

const fields = z.array(z.string());

export const record = fields.transform(pairs).pipe(hash).transform(toRecord);
export const maybeRecord = z.union([z.tuple([]).transform(() => undefined), record]);

export const acquired = z.union([
  z.tuple([z.enum(['live', 'reserved', 'preparing', 'draining']), record]),
  z.tuple([z.enum(['no-room', 'over-quota']), z.int(), z.int()]),
  z.tuple([z.literal('container-taken')]),
]);

export const page = z.tuple([
  z.array(record),
  z.union([z.literal('').transform(() => undefined), conversation]),
]);

export const due = z.tuple([z.array(container), z.array(record)]);

export function parseReply<Schema extends z.ZodType>(
  schema: Schema,
  what: string,
  reply: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(reply);
  if (parsed.success) return parsed.data;
  throw new BerthError('INTERNAL', `Redis holds or answered what it should not (${what}).`, {}, parsed.error);
}

function toRecord(fields: z.output<typeof hash>): ConversationRecord {
  return {
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
  };
}

function pairs(flat: string[]): Record<string, string | undefined> {
  const entries: [string, string | undefined][] = [];
  for (let i = 0; i < flat.length; i += 2) entries.push([flat[i] ?? '', flat[i + 1]]);
  return Object.fromEntries(entries);
}

function named<Name extends string>(parse: (text: string) => Name | undefined) {
  return z.string().transform((text, context) => {
    const name = parse(text);
    if (name !== undefined) return name;
    context.addIssue({ code: 'custom', message: 'not a name of its kind' });
    return z.NEVER;
  });
}
