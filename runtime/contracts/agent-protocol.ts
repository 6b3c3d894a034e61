/** What the runtime and the agent inside a container say to each other. */

/** The protocol this version speaks; the runtime also serves the one before. */
export const AGENT_PROTOCOL = 1;

export interface AgentHealth {
  status: 'ok';
  protocol: number;
  version: string;
  /** The sealed ticket given by `/assign`, or null before it. */
  ticket: string | null;
  /** `HMAC-SHA256(agent token, nonce)` as hex, when a nonce was sent. */
  proof?: string;
  /** Executions that the agent is running now. */
  executions: string[];
}

export interface AssignRequest {
  ticket: string;
  /** Environment for every command that follows. */
  env?: Record<string, string>;
}

export interface ExecRequest {
  cmd: string[];
  cwd?: string;
  env?: Record<string, string>;
  stdin?: string;
  /** Seconds. */
  timeout?: number;
}

export interface ExecResult {
  /** null when the command timed out or was killed by a signal. */
  exit_code: number | null;
  /** What killed the command's main process (`SIGKILL`, …), where a signal did. */
  signal?: string;
  /** stdout and stderr in the order they arrived. */
  output: string;
  stdout: string;
  stderr: string;
  truncated: boolean;
  timed_out: boolean;
  duration_ms: number;
}

/** What `/exec` streams with `Accept: text/event-stream`: any number of outputs, then one exit or error. */
export type ExecEvent =
  /** `bytes`, in base64, where the text does not say them: they are no UTF-8. */
  | { type: 'output'; stream: 'stdout' | 'stderr'; text: string; bytes?: string }
  | { type: 'exit'; exit_code: number | null; signal?: string; timed_out: boolean; duration_ms: number }
  | { type: 'error'; code: string; message: string };

/** `POST /execute`. The same `execution_id` again attaches to it instead of running it twice. */
export interface ExecuteRequest {
  /** `[A-Za-z0-9_-]{1,64}`. */
  execution_id: string;
  user_input: string;
  system_prompt?: string;
  model?: string;
  session_id?: string;
  max_turns?: number;
  allowed_tools?: string[];
  cwd?: string;
  env?: Record<string, string>;
  /** For the whole execution; the agent keeps it too. */
  timeout_seconds?: number;
  mcp_server_configs?: Record<string, unknown>;
}

/**
 * What an execution says. On the wire each is `id: <seq>`, `event: <type>`, `data: <this as JSON>`; `seq` counts
 * from 1 without a hole. Exactly one `done` or `error` comes, and it is the last.
 */
export type ExecutionEvent =
  | { type: 'text_delta'; text: string; bytes?: string; stream?: 'stdout' | 'stderr' }
  | { type: 'thinking'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown }
  | { type: 'tool_result'; id: string; content: unknown; is_error: boolean }
  | { type: 'system'; [field: string]: unknown }
  | ExecutionEnd;

export type ExecutionEnd =
  | {
      type: 'done';
      subtype: string;
      result?: string;
      session_id?: string;
      num_turns?: number;
      duration_ms?: number;
      cost_usd?: number;
      usage?: unknown;
      /** Of the built-in code runner: null when a signal killed the script. */
      exit_code?: number | null;
    }
  | { type: 'error'; error_type: ExecutionErrorType; message: string; recoverable: boolean };

export type ExecutionErrorType =
  | 'execution_error'
  | 'timeout_error'
  | 'context_limit_exceeded'
  | 'container_lost'
  | 'cancelled'
  | 'conversation_locked';

/** In place of events that fell out of a bounded buffer. Its own number is `to`. */
export interface EventGap {
  type: 'gap';
  from: number;
  to: number;
}

/**
 * How a command of `/exec/binary` ended: headers, or trailers when stdout is over 1 MiB.
 * Without `x-exit-code` there was none: it timed out or was killed by a signal.
 */
export interface ExecOutcomeHeaders {
  'x-exit-code'?: string;
  'x-signal'?: string;
  'x-timed-out': 'true' | 'false';
}

export interface FileEntry {
  path: string;
  size: number;
  /** SHA-256 of the content as hex. */
  sha256: string;
  /** Permission bits. */
  mode: number;
  /** Last change, ISO 8601. */
  modified_at: string;
}

export interface FileManifest {
  files: FileEntry[];
  /** Paths that were left out (links, devices, names that are no UTF-8), with the reason. */
  skipped: { path: string; reason: string }[];
  /** true when there is more than the 50,000 entries or 15 MiB that a manifest may have. */
  truncated: boolean;
}

/** The answer to `PUT /files.tar`. */
export interface TarReceipt {
  files: number;
  bytes: number;
}

/** One line of `GET /files/changes`. */
export type FileChange = { type: 'changed' } | { type: 'overflow' };

/** `POST /terminals`. */
export interface TerminalRequest {
  /** `tm-` and 24 hex digits. */
  terminal_id: string;
  /** A shell unless given. */
  cmd?: string[];
  cwd?: string;
  env?: Record<string, string>;
  cols: number;
  rows: number;
}

export interface TerminalView {
  terminal_id: string;
  cmd: string[];
  cols: number;
  rows: number;
  created_at: string;
  status: 'running' | 'exited';
  /** null while it runs, and where a signal ended it. */
  exit_code: number | null;
}

/**
 * What goes over a terminal's line, `GET /terminals/{id}/socket?after=` upgraded to `berth-terminal`: a byte for the kind,
 * four for the length of what follows (big-endian), at most 64 KiB. From the agent: `attached` first, with the number of
 * the next byte as eight bytes; any number of `output`; `exit` last, with the code as one byte, or none. To the agent:
 * `input`, and `resize` with columns and rows as two bytes each.
 */
export const TERMINAL_FRAMES = { attached: 1, output: 2, exit: 3, input: 4, resize: 5 } as const;

/** The agent's refusals: a JSON body with one of these codes. */
export interface AgentProblem {
  code: AgentProblemCode;
  message: string;
  /** Of the execution that runs, with `EXECUTION_RUNNING`. */
  execution_id?: string;
}

export type AgentProblemCode =
  | 'UNAUTHENTICATED'
  | 'ROUTE_NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'INVALID_REQUEST'
  | 'INVALID_PATH'
  | 'FILE_NOT_FOUND'
  | 'BODY_TOO_LARGE'
  | 'ALREADY_ASSIGNED'
  /** Another execution runs; its id is in `execution_id`. */
  | 'EXECUTION_RUNNING'
  | 'EXECUTION_NOT_FOUND'
  /** It ran and has ended, and its events are no longer kept. It is never run again. */
  | 'EXECUTION_FORGOTTEN'
  | 'TERMINAL_NOT_FOUND'
  /** Or too many who look at one. */
  | 'TOO_MANY_TERMINALS'
  /** This container can't. */
  | 'NOT_SUPPORTED'
  | 'COMMAND_NOT_FOUND'
  | 'NO_RESOURCES'
  | 'DISK_FULL'
  | 'INTERNAL';
