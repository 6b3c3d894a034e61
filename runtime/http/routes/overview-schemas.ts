import { z } from 'zod';

const count = z.int().min(0);
const since = {
  since: z.iso.datetime().meta({ description: 'Of the first figure; the last is the newest' }),
  step_seconds: z.number(),
};
const figures = z.array(count.nullable()).meta({ description: 'null where it could not be seen' });
const counts = z.array(count);

const pool = z
  .object({
    warm: count,
    starting: count,
    target: count,
    min_size: count,
    max_size: count,
    history: z.object({ ...since, warm: figures, starting: figures, target: figures }),
  })
  .meta({ id: 'PoolOverview' });

const problem = z
  .object({
    severity: z.enum(['critical', 'warning']),
    text: z.string(),
    tenant: z.string().nullable().meta({ description: "null: the operator's" }),
    target: z
      .union([
        z.object({ kind: z.enum(['conversation', 'workspace', 'function']), id: z.string() }),
        z.object({ kind: z.enum(['containers', 'pool']) }),
      ])
      .nullable(),
  })
  .meta({ id: 'OverviewProblem' });

export const refusal = z
  .object({
    at: z.iso.datetime(),
    container_id: z.string(),
    tenant: z.string().nullable(),
    conversation_id: z.string().nullable(),
    host: z.string().nullable(),
    port: z.number().nullable(),
    reason: z.string(),
  })
  .meta({ id: 'EgressRefusal' });

const functionOverview = z
  .object({
    tenant: z.string(),
    name: z.string(),
    workers: z.object({ provisioning: count, idle: count, paused: count, busy: count, terminating: count }),
    min_capacity: count,
    max_capacity: count,
    waiting: count.meta({ description: 'Calls that wait for a worker at this instance' }),
    breaker_open: z.boolean(),
  })
  .meta({ id: 'FunctionOverview' });

export const overview = z
  .object({
    version: z.string(),
    backend: z.string(),
    instance: z
      .string()
      .meta({ description: 'Executions, acquire times, refusals and waiting calls are of this one' }),
    started_at: z.iso.datetime(),
    status: z.enum(['ready', 'unready']),
    tenant: z.string().meta({ description: "The key's" }),
    scope: z.enum(['use', 'admin']).meta({ description: "The key's" }),
    problems: z.array(problem).meta({ description: 'The worst first' }),
    stale: z
      .array(z.string())
      .meta({ description: 'Parts that could not be looked at just now: their figures are from before' }),
    conversations: z
      .object({ preparing: count, ready: count, running: count, idle: count, draining: count })
      .meta({ description: 'Those that have a container, by status' }),
    containers: z.object({ used: count, limit: count }).nullable().meta({
      description: 'Of conversations and the pool, against `MAX_CONTAINERS`; with an admin key only',
    }),
    pool: pool.nullable().meta({ description: 'With an admin key only' }),
    executions: z
      .object({ ...since, completed: counts, failed: counts, cancelled: counts, lost: counts })
      .meta({ description: 'Those that ended here within the last hour, by minute' }),
    acquire: z
      .array(
        z.object({
          source: z.enum(['existing', 'warm', 'cold']),
          count,
          p50_ms: z.number(),
          p99_ms: z.number(),
        }),
      )
      .meta({
        description: 'Until a conversation had its container: the last 1,000 of each source, within an hour',
      }),
    egress: z.object({
      refused_total: count.nullable().meta({ description: 'Since the start; with an admin key only' }),
      recent: z
        .array(refusal)
        .nullable()
        .meta({ description: 'The newest first; null where proxies beside containers tell only how many' }),
    }),
    workspaces: z
      .object({
        by_status: z.object({
          PENDING: count.optional(),
          STANDBY: count.optional(),
          RUNNING: count.optional(),
          ERROR: count.optional(),
        }),
        in_error: z.array(z.string()).meta({ description: 'Ids' }),
      })
      .nullable()
      .meta({ description: 'null where this backend has none' }),
    functions: z.array(functionOverview),
    dependencies: z
      .array(z.object({ name: z.string(), ready: z.boolean(), vital: z.boolean(), detail: z.string() }))
      .nullable()
      .meta({ description: 'With an admin key only' }),
    breaker: z
      .object({ open: z.boolean(), held: count })
      .nullable()
      .meta({ description: "The sweep's, where this instance leads it; with an admin key only" }),
  })
  .meta({ id: 'Overview' });
