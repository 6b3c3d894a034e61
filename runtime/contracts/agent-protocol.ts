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
  | { type: 'output'; stream: 'stdout' | 'stderr'; text: string }
  | { type: 'exit'; exit_code: number | null; signal?: string; timed_out: boolean; duration_ms: number }
  | { type: 'error'; code: string; message: string };

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

/** The agent's refusals: a JSON body with one of these codes. */
export interface AgentProblem {
  code: AgentProblemCode;
  message: string;
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
  | 'COMMAND_NOT_FOUND'
  | 'NO_RESOURCES'
  | 'DISK_FULL'
  | 'INTERNAL';
