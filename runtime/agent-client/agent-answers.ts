import { z } from 'zod';
import type {
  AgentHealth,
  AgentProblemCode,
  ExecEvent,
  ExecResult,
  FileChange,
  FileManifest,
  TerminalView,
} from '../contracts/agent-protocol.ts';

/** Shapes that an agent's answers must have. The agent is part of the sandbox: nothing it says is believed unchecked. */

export const healthAnswer = z.object({
  status: z.literal('ok'),
  protocol: z.int(),
  version: z.string().max(64),
  ticket: z.string().max(2048).nullable(),
  proof: z.string().max(128).exactOptional(),
  executions: z.array(z.string().max(128)).max(16),
}) satisfies z.ZodType<AgentHealth>;

const signal = z.string().max(16).exactOptional();

export const execAnswer = z.object({
  exit_code: z.int().nullable(),
  signal,
  output: z.string(),
  stdout: z.string(),
  stderr: z.string(),
  truncated: z.boolean(),
  timed_out: z.boolean(),
  duration_ms: z.number(),
}) satisfies z.ZodType<ExecResult>;

export const execEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('output'),
    stream: z.enum(['stdout', 'stderr']),
    text: z.string(),
    bytes: z.base64().exactOptional(),
  }),
  z.object({
    type: z.literal('exit'),
    exit_code: z.int().nullable(),
    signal,
    timed_out: z.boolean(),
    duration_ms: z.number(),
  }),
  z.object({ type: z.literal('error'), code: z.string().max(64), message: z.string().max(2048) }),
]) satisfies z.ZodType<ExecEvent>;

export const fileChange = z.object({ type: z.enum(['changed', 'overflow']) }) satisfies z.ZodType<FileChange>;

export const manifestAnswer = z.object({
  files: z
    .array(
      z.object({
        path: z.string().max(4096),
        size: z.int().nonnegative(),
        sha256: z.string().regex(/^[0-9a-f]{64}$/),
        mode: z.int().nonnegative(),
        modified_at: z.iso.datetime(),
      }),
    )
    .max(50_000),
  skipped: z.array(z.object({ path: z.string().max(16_384), reason: z.string().max(256) })).max(50_000),
  truncated: z.boolean(),
}) satisfies z.ZodType<FileManifest>;

/** A code is one byte: what the system tells of a process. */
const exitCode = z.int().min(0).max(255).nullable();
const side = z.int().min(1).max(1000);

export const terminalAnswer = z.object({
  terminal_id: z.string().regex(/^tm-[0-9a-f]{24}$/),
  cmd: z.array(z.string()).max(4096),
  cols: side,
  rows: side,
  created_at: z.iso.datetime(),
  status: z.enum(['running', 'exited']),
  exit_code: exitCode,
}) satisfies z.ZodType<TerminalView>;

export const terminalsAnswer = z.object({ terminals: z.array(terminalAnswer).max(16) });

const PROBLEM_CODES = [
  'UNAUTHENTICATED',
  'ROUTE_NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'INVALID_REQUEST',
  'INVALID_PATH',
  'FILE_NOT_FOUND',
  'BODY_TOO_LARGE',
  'ALREADY_ASSIGNED',
  'EXECUTION_RUNNING',
  'EXECUTION_NOT_FOUND',
  'EXECUTION_FORGOTTEN',
  'TERMINAL_NOT_FOUND',
  'TOO_MANY_TERMINALS',
  'NOT_SUPPORTED',
  'COMMAND_NOT_FOUND',
  'DISK_FULL',
  'NO_RESOURCES',
  'INTERNAL',
] as const satisfies readonly AgentProblemCode[];

export const problemAnswer = z.object({
  code: z.enum(PROBLEM_CODES),
  message: z.string().max(4096),
  execution_id: z.string().max(64).exactOptional(),
});
