import { z } from 'zod';
import type { ExecutionName, ExecutionRecord, ExecutionStatus } from '../../contracts/execution-record.ts';
import {
  container,
  conversation,
  digits,
  execution,
  hash,
  nothing,
  tenant,
  time,
  yesOrNo,
} from './reply-parts.ts';

const STATUSES = {
  running: 'running',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  lost: 'lost',
} as const satisfies Record<ExecutionStatus, ExecutionStatus>;

/** All of an execution but its name, which the caller knows. */
export const executionFields = hash({
  status: z.enum(STATUSES),
  body_hash: z.string(),
  container_id: container,
  started_at: time,
  deadline: time,
  ended_at: time.optional(),
  on_disconnect: z.enum(['continue', 'cancel']),
  agent_seq: digits,
  offset: digits,
}).transform(
  (fields): Omit<ExecutionRecord, keyof ExecutionName> => ({
    status: fields.status,
    bodyHash: fields.body_hash,
    container: fields.container_id,
    startedAt: fields.started_at,
    deadline: fields.deadline,
    endedAt: fields.ended_at ?? null,
    onDisconnect: fields.on_disconnect,
    agentSeq: fields.agent_seq,
    offset: fields.offset,
  }),
);

export const maybeExecution = z.union([nothing, executionFields]);
export const executions = z.array(z.tuple([execution, executionFields]));

export const names = z.array(
  z
    .tuple([tenant, conversation, execution])
    .transform(([tenant, conversation, execution]) => ({ tenant, conversation, execution })),
);

export const relayTaken = z.union([
  z.tuple([z.literal('taken'), executionFields]),
  z.tuple([z.enum(['held', 'ended', 'absent'])]),
]);

/** Digits that came as bytes. */
const number = z
  .instanceof(Buffer)
  .transform((bytes) => bytes.toString('latin1'))
  .pipe(digits);

const entry = z
  .tuple([number, number, z.instanceof(Buffer)])
  .transform(([first, last, frames]) => ({ first, last, frames }));

/** Read as bytes. */
export const events = z.union([
  nothing,
  z.tuple([yesOrNo, z.array(entry)]).transform(([ended, entries]) => ({ ended, entries })),
]);
