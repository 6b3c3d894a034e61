import { z } from 'zod';
import type { ExecutionRecord } from '../../contracts/execution-record.ts';
import { mcpServers } from './egress-schemas.ts';
import { environment } from './exec-schemas.ts';

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
