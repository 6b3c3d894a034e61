import { z } from 'zod';
import type { ExecutionRecord } from '../../contracts/execution-record.ts';
import { mcpServers } from './egress-schemas.ts';
import { environment, exactBytes } from './exec-schemas.ts';

const noNul = (text: string) => !text.includes('\0');
const text = z.string().refine(noNul, 'must not hold a NUL');

export function executeBody(maxSeconds: number) {
  return z
    .strictObject({
      user_input: text.meta({
        description:
          "What the conversation's runner gets. The built-in one runs it as a script: python, or what a `#!` line or `model` names.",
        examples: ['print(sum(range(10)))'],
      }),
      system_prompt: text.optional(),
      model: z
        .string()
        .min(1)
        .max(256)
        .optional()
        .meta({ description: 'For the built-in runner `code/python`, `code/bash` or `code/node`' }),
      session_id: z.string().min(1).max(256).optional(),
      max_turns: z.int().positive().max(10_000).optional(),
      allowed_tools: z.array(z.string().min(1).max(256)).max(1000).optional(),
      cwd: text.min(1).optional().meta({ description: 'Folder to run in; `/workspace` unless given' }),
      env: environment.optional(),
      mcp_servers: mcpServers.optional(),
      timeout_seconds: z
        .number()
        .positive()
        .max(maxSeconds)
        .default(maxSeconds)
        .meta({ description: 'For the whole execution. One that is not over by then costs its container.' }),
      on_disconnect: z
        .enum(['continue', 'cancel'])
        .default('continue')
        .meta({ description: 'What happens when this client goes before the end' }),
    })
    .meta({ id: 'ExecuteRequest' });
}

export const execution = z
  .object({
    execution_id: z.string(),
    conversation_id: z.string(),
    container_id: z.string(),
    status: z.enum(['running', 'completed', 'failed', 'cancelled', 'lost']),
    started_at: z.iso.datetime(),
    deadline: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
    on_disconnect: z.enum(['continue', 'cancel']),
  })
  .meta({ id: 'Execution' });

/** Of every event. */
const told = z.object({
  seq: z.int().meta({ description: 'Grows within an execution; the number that `Last-Event-ID` takes' }),
  timestamp: z.iso.datetime(),
  execution_id: z.string(),
});
const truncated = z.boolean().optional().meta({ description: 'It had more than 60 KiB' });

const errorType = z.enum([
  'execution_error',
  'timeout_error',
  'context_limit_exceeded',
  'container_lost',
  'cancelled',
  'conversation_locked',
]);

const spoken = { text: z.string(), truncated };

/** What an execution's stream tells, by the name of the event. A runner's may have more fields than these. */
export const executionEvents = {
  container: told
    .extend({
      type: z.literal('container'),
      container_id: z.string(),
      source: z.enum(['existing', 'warm', 'cold']),
      acquire_ms: z.int(),
    })
    .meta({ id: 'ContainerEvent' }),
  text_delta: told
    .extend({
      type: z.literal('text_delta'),
      ...spoken,
      stream: z.enum(['stdout', 'stderr']).optional().meta({ description: "Of a script's output" }),
      bytes: exactBytes,
    })
    .meta({ id: 'TextDeltaEvent' }),
  thinking: told.extend({ type: z.literal('thinking'), ...spoken }).meta({ id: 'ThinkingEvent' }),
  tool_use: told
    .extend({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: z.unknown(), truncated })
    .meta({ id: 'ToolUseEvent' }),
  tool_result: told
    .extend({
      type: z.literal('tool_result'),
      id: z.string(),
      content: z.unknown(),
      is_error: z.boolean(),
      truncated,
    })
    .meta({ id: 'ToolResultEvent' }),
  system: told
    .extend({ type: z.literal('system') })
    .loose()
    .meta({ id: 'SystemEvent' }),
  gap: told
    .extend({ type: z.literal('gap'), from: z.int(), to: z.int() })
    .meta({ id: 'GapEvent', description: 'In place of events that are no longer kept' }),
  container_recovered: told
    .extend({
      type: z.literal('container_recovered'),
      message: z.string(),
      recovered: z.boolean(),
      retry_recommended: z.boolean(),
    })
    .meta({ id: 'ContainerRecoveredEvent' }),
  done: told
    .extend({
      type: z.literal('done'),
      subtype: z.string().meta({ description: '`success`, or how it failed' }),
      result: z.string().optional(),
      session_id: z.string().optional(),
      num_turns: z.number().optional(),
      duration_ms: z.number().optional(),
      cost_usd: z.number().optional(),
      usage: z.unknown().optional(),
      exit_code: z
        .int()
        .nullable()
        .optional()
        .meta({ description: 'Of a script; null when a signal killed it' }),
      truncated,
    })
    .meta({ id: 'DoneEvent', description: 'Last, unless there is an `error`' }),
  error: told
    .extend({
      type: z.literal('error'),
      error_type: errorType,
      message: z.string(),
      recoverable: z.boolean(),
      truncated,
    })
    .meta({ id: 'ErrorEvent', description: 'Last, unless there is a `done`' }),
};

export function shownExecution(record: ExecutionRecord): z.output<typeof execution> {
  return {
    execution_id: record.execution,
    conversation_id: record.conversation,
    container_id: record.container,
    status: record.status,
    started_at: new Date(record.startedAt).toISOString(),
    deadline: new Date(record.deadline).toISOString(),
    ended_at: record.endedAt === null ? null : new Date(record.endedAt).toISOString(),
    on_disconnect: record.onDisconnect,
  };
}
