// Made by `npm run client` from the runtime's own /openapi.json; a test keeps it equal.

export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code:
    | 'INVALID_REQUEST'
    | 'INVALID_ID'
    | 'INVALID_PATH'
    | 'UNAUTHENTICATED'
    | 'FORBIDDEN'
    | 'ROUTE_NOT_FOUND'
    | 'CONVERSATION_NOT_FOUND'
    | 'EXECUTION_NOT_FOUND'
    | 'TERMINAL_NOT_FOUND'
    | 'FILE_NOT_FOUND'
    | 'CONTAINER_NOT_FOUND'
    | 'WORKSPACE_NOT_FOUND'
    | 'FUNCTION_NOT_FOUND'
    | 'METHOD_NOT_ALLOWED'
    | 'IDEMPOTENCY_CONFLICT'
    | 'CONVERSATION_LOCKED'
    | 'CONVERSATION_DRAINING'
    | 'WORKSPACE_EXISTS'
    | 'WORKSPACE_DELETING'
    | 'VOLUME_IN_USE'
    | 'BODY_TOO_LARGE'
    | 'UNSUPPORTED_MEDIA_TYPE'
    | 'QUOTA_EXCEEDED'
    | 'CAPACITY_EXCEEDED'
    | 'INTERNAL'
    | 'NOT_SUPPORTED'
    | 'CONTAINER_CRASHED'
    | 'IMAGE_PULL_FAILED'
    | 'CONTAINER_CREATE_FAILED'
    | 'WORKSPACE_NOT_ANSWERING'
    | 'WORKER_FAILED'
    | 'VOLUME_NOT_FOUND'
    | 'VOLUME_CREATE_FAILED'
    | 'ARCHIVE_FAILED'
    | 'ARCHIVE_CORRUPT'
    | 'ACQUIRE_TIMEOUT'
    | 'FUNCTION_UNAVAILABLE'
    | 'BACKEND_UNAVAILABLE'
    | 'EGRESS_UNAVAILABLE'
    | 'STORE_UNAVAILABLE'
    | 'IMAGE_PREPARING'
    | 'SHUTTING_DOWN'
    | 'WORKSPACE_UNAVAILABLE'
    | 'START_TIMEOUT'
    | 'HEALTH_CHECK_FAILED'
    | 'INVOKE_TIMEOUT'
    | 'DISK_FULL'
    | 'SANDBOX_EXHAUSTED';
  request_id: string;

  /** Seconds */
  retry_after?: number | undefined;
  errors?: Array<{ path: string; message: string }> | undefined;

  /** The one that runs, of `CONVERSATION_LOCKED` */
  execution_id?: string | undefined;

  /** Of `QUOTA_EXCEEDED` and `CAPACITY_EXCEEDED` */
  limit?: number | undefined;
  used?: number | undefined;
}

export interface Overview {
  version: string;
  backend: string;

  /** Executions, acquire times, refusals and waiting calls are of this one */
  instance: string;
  started_at: string;
  status: 'ready' | 'unready';

  /** The key's */
  tenant: string;

  /** The key's */
  scope: 'use' | 'admin';

  /** The worst first */
  problems: Array<OverviewProblem>;

  /** Parts that could not be looked at just now: their figures are from before */
  stale: Array<string>;

  /** Those that have a container, by status */
  conversations: { preparing: number; ready: number; running: number; idle: number; draining: number };

  /** Of conversations and the pool, against `MAX_CONTAINERS`; with an admin key only */
  containers: { used: number; limit: number } | null;

  /** With an admin key only */
  pool: PoolOverview | null;

  /** Those that ended here within the last hour, by minute */
  executions: {
    /** Of the first figure; the last is the newest */
    since: string;
    step_seconds: number;
    completed: Array<number>;
    failed: Array<number>;
    cancelled: Array<number>;
    lost: Array<number>;
  };

  /** Until a conversation had its container: the last 1,000 of each source, within an hour */
  acquire: Array<{ source: 'existing' | 'warm' | 'cold'; count: number; p50_ms: number; p99_ms: number }>;
  egress: {
    /** Since the start; with an admin key only */
    refused_total: number | null;

    /** The newest first; null where proxies beside containers tell only how many */
    recent: Array<EgressRefusal> | null;
  };

  /** null where this backend has none */
  workspaces: {
    by_status: {
      PENDING?: number | undefined;
      STANDBY?: number | undefined;
      RUNNING?: number | undefined;
      ERROR?: number | undefined;
    };

    /** Ids */
    in_error: Array<string>;
  } | null;
  functions: Array<FunctionOverview>;

  /** With an admin key only */
  dependencies: Array<{ name: string; ready: boolean; vital: boolean; detail: string }> | null;

  /** The sweep's, where this instance leads it; with an admin key only */
  breaker: { open: boolean; held: number } | null;
}

export interface OverviewProblem {
  severity: 'critical' | 'warning';
  text: string;

  /** null: the operator's */
  tenant: string | null;
  target:
    | { kind: 'conversation' | 'workspace' | 'function'; id: string }
    | { kind: 'containers' | 'pool' }
    | null;
}

export interface PoolOverview {
  warm: number;
  starting: number;
  target: number;
  min_size: number;
  max_size: number;
  history: {
    /** Of the first figure; the last is the newest */
    since: string;
    step_seconds: number;

    /** null where it could not be seen */
    warm: Array<number | null>;

    /** null where it could not be seen */
    starting: Array<number | null>;

    /** null where it could not be seen */
    target: Array<number | null>;
  };
}

export interface EgressRefusal {
  at: string;
  container_id: string;
  tenant: string | null;
  conversation_id: string | null;
  host: string | null;
  port: number | null;
  reason: string;
}

export interface FunctionOverview {
  tenant: string;
  name: string;
  workers: { provisioning: number; idle: number; paused: number; busy: number; terminating: number };
  min_capacity: number;
  max_capacity: number;

  /** Calls that wait for a worker at this instance */
  waiting: number;
  breaker_open: boolean;
}

export interface ExecuteRequest {
  /** What the conversation's runner gets. The built-in one runs it as a script: python, or what a `#!` line or `model` names. */
  user_input: string;
  system_prompt?: string | undefined;

  /** For the built-in runner `code/python`, `code/bash` or `code/node` */
  model?: string | undefined;
  session_id?: string | undefined;
  max_turns?: number | undefined;
  allowed_tools?: Array<string> | undefined;

  /** Folder to run in; `/workspace` unless given */
  cwd?: string | undefined;

  /** Environment variables of the command */
  env?: Record<string, string> | undefined;

  /** By name. Runners reach each at `/mcp/{name}/` of their egress proxy. */
  mcp_servers?:
    | Record<
        string,
        {
          /** Base address, `https://` unless the operator marked the host `internal:` */
          url: string;

          /** Added to every request to this server. Kept sealed; the container never sees them. */
          headers?: Record<string, string> | undefined;
        }
      >
    | undefined;

  /** For the whole execution. One that is not over by then costs its container. */
  timeout_seconds?: number | undefined;

  /** What happens when this client goes before the end */
  on_disconnect?: 'continue' | 'cancel' | undefined;
}

export interface ContainerEvent {
  /** Grows within an execution; the number that `Last-Event-ID` takes */
  seq: number;
  timestamp: string;
  execution_id: string;
  type: 'container';
  container_id: string;
  source: 'existing' | 'warm' | 'cold';
  acquire_ms: number;
}

export interface TextDeltaEvent {
  /** Grows within an execution; the number that `Last-Event-ID` takes */
  seq: number;
  timestamp: string;
  execution_id: string;
  type: 'text_delta';
  text: string;

  /** It had more than 60 KiB */
  truncated?: boolean | undefined;

  /** Of a script's output */
  stream?: 'stdout' | 'stderr' | undefined;

  /** In base64, what was printed, where that is no UTF-8 and `text` has replacements */
  bytes?: string | undefined;
}

export interface ThinkingEvent {
  /** Grows within an execution; the number that `Last-Event-ID` takes */
  seq: number;
  timestamp: string;
  execution_id: string;
  type: 'thinking';
  text: string;

  /** It had more than 60 KiB */
  truncated?: boolean | undefined;
}

export interface ToolUseEvent {
  /** Grows within an execution; the number that `Last-Event-ID` takes */
  seq: number;
  timestamp: string;
  execution_id: string;
  type: 'tool_use';
  id: string;
  name: string;
  input: unknown;

  /** It had more than 60 KiB */
  truncated?: boolean | undefined;
}

export interface ToolResultEvent {
  /** Grows within an execution; the number that `Last-Event-ID` takes */
  seq: number;
  timestamp: string;
  execution_id: string;
  type: 'tool_result';
  id: string;
  content: unknown;
  is_error: boolean;

  /** It had more than 60 KiB */
  truncated?: boolean | undefined;
}

export interface SystemEvent {
  /** Grows within an execution; the number that `Last-Event-ID` takes */
  seq: number;
  timestamp: string;
  execution_id: string;
  type: 'system';
  [field: string]: unknown;
}

/** In place of events that are no longer kept */
export interface GapEvent {
  /** Grows within an execution; the number that `Last-Event-ID` takes */
  seq: number;
  timestamp: string;
  execution_id: string;
  type: 'gap';
  from: number;
  to: number;
}

export interface ContainerRecoveredEvent {
  /** Grows within an execution; the number that `Last-Event-ID` takes */
  seq: number;
  timestamp: string;
  execution_id: string;
  type: 'container_recovered';
  message: string;
  recovered: boolean;
  retry_recommended: boolean;
}

/** Last, unless there is an `error` */
export interface DoneEvent {
  /** Grows within an execution; the number that `Last-Event-ID` takes */
  seq: number;
  timestamp: string;
  execution_id: string;
  type: 'done';

  /** `success`, or how it failed */
  subtype: string;
  result?: string | undefined;
  session_id?: string | undefined;
  num_turns?: number | undefined;
  duration_ms?: number | undefined;
  cost_usd?: number | undefined;
  usage?: unknown | undefined;

  /** Of a script; null when a signal killed it */
  exit_code?: number | null | undefined;

  /** It had more than 60 KiB */
  truncated?: boolean | undefined;
}

/** Last, unless there is a `done` */
export interface ErrorEvent {
  /** Grows within an execution; the number that `Last-Event-ID` takes */
  seq: number;
  timestamp: string;
  execution_id: string;
  type: 'error';
  error_type:
    | 'execution_error'
    | 'timeout_error'
    | 'context_limit_exceeded'
    | 'container_lost'
    | 'cancelled'
    | 'conversation_locked';
  message: string;
  recoverable: boolean;

  /** It had more than 60 KiB */
  truncated?: boolean | undefined;
}

export interface ExecutionList {
  executions: Array<Execution>;
}

export interface Execution {
  execution_id: string;
  conversation_id: string;
  container_id: string;
  status: 'running' | 'completed' | 'failed' | 'cancelled' | 'lost';
  started_at: string;
  deadline: string;
  ended_at: string | null;
  on_disconnect: 'continue' | 'cancel';
}

export interface ExecRequest {
  /** Program and arguments; no shell in between */
  cmd: Array<string>;

  /** Folder to run in; `/workspace` unless given */
  cwd?: string | undefined;

  /** Environment variables of the command */
  env?: Record<string, string> | undefined;
  stdin?: string | undefined;

  /** After this long the command and all it started are killed */
  timeout_seconds?: number | undefined;
}

export interface ExecResult {
  /** null when it was killed */
  exit_code: number | null;

  /** What killed it */
  signal?: string | undefined;
  stdout: string;
  stderr: string;

  /** Whether output past 1 MiB was dropped */
  truncated: boolean;
  timed_out: boolean;
  duration_ms: number;
}

export interface ExecOutput {
  stream: 'stdout' | 'stderr';
  text: string;

  /** In base64, what was printed, where that is no UTF-8 and `text` has replacements */
  bytes?: string | undefined;
}

export interface ExecExit {
  /** null when it was killed */
  exit_code: number | null;

  /** What killed it */
  signal?: string | undefined;
  timed_out: boolean;
  duration_ms: number;
}

export interface ExecFailure {
  code: string;
  message: string;
}

export interface TerminalRequest {
  /** Program and arguments; an interactive bash unless given */
  cmd?: Array<string> | undefined;

  /** Folder to run in; `/workspace` unless given */
  cwd?: string | undefined;

  /** Environment variables of the command */
  env?: Record<string, string> | undefined;
  cols?: number | undefined;
  rows?: number | undefined;
}

export interface Terminal {
  terminal_id: string;
  conversation_id: string;
  container_id: string;
  cmd: Array<string>;
  cols: number;
  rows: number;
  created_at: string;
  status: 'running' | 'exited';

  /** null while it runs, and when a signal ended it */
  exit_code: number | null;
}

export interface TerminalList {
  terminals: Array<Terminal>;
}

export interface FileList {
  files: Array<{
    path: string;
    size: number;
    sha256: string;

    /** Permission bits */
    mode: number;
    modified_at: string;
  }>;

  /** Links, devices and names that are no UTF-8 */
  skipped: Array<{ path: string; reason: string }>;

  /** Whether there are more files than the 50,000 listed */
  truncated: boolean;
}

export interface ConversationList {
  conversations: Array<Conversation>;
  next_cursor: string | null;
}

export interface Conversation {
  conversation_id: string;
  tenant_id: string;
  container_id: string;

  /** The backend */
  manager_type: string;
  status: 'preparing' | 'ready' | 'running' | 'idle' | 'draining';
  created_at: string;
  claimed_at: string;
  last_active_at: string;

  /** Of its files in the object store; null while none are saved */
  saved_version: string | null;

  /** When it ends if nothing is done with it */
  expires_at: string;
}

export interface Egress {
  /** Null: the operator's own list holds */
  allowed_domains: Array<string> | null;
  mcp_servers: Record<string, { url: string; header_names: Array<string> }>;

  /** What the proxy refused it last, as this instance heard, the newest first; null where proxies beside containers tell only how many */
  recent_refusals: Array<EgressRefusal> | null;
}

export interface EgressRequest {
  /** In place of what the operator allows to all; null: that again */
  allowed_domains?: Array<string> | null | undefined;

  /** By name. Runners reach each at `/mcp/{name}/` of their egress proxy. */
  mcp_servers?:
    | Record<
        string,
        {
          /** Base address, `https://` unless the operator marked the host `internal:` */
          url: string;

          /** Added to every request to this server. Kept sealed; the container never sees them. */
          headers?: Record<string, string> | undefined;
        }
      >
    | undefined;
}

export interface NewWorkspace {
  /** Never used before, in the whole installation; made for you unless given */
  id?: string | undefined;
  name?: string | null | undefined;

  /** An image that listens on port 8080, of those that `ALLOWED_IMAGES` names; without one: the editor */
  image_ref?: string | undefined;

  /** How long it runs after its last use; null: the service's own value */
  standby_ttl_seconds?: number | null | undefined;

  /** How long it stays in STANDBY before it is archived; null: never */
  archive_ttl_seconds?: number | null | undefined;
  desired_state?: 'PENDING' | 'STANDBY' | 'RUNNING' | undefined;
}

export interface Workspace {
  id: string;
  name: string | null;
  image_ref: string;

  /** PENDING: nothing, or an archive. STANDBY: its home. RUNNING: its home and a container */
  observed_status: 'PENDING' | 'STANDBY' | 'RUNNING' | 'ERROR' | 'DELETED';
  desired_state: 'PENDING' | 'STANDBY' | 'RUNNING';
  operation: 'NONE' | 'PROVISIONING' | 'RESTORING' | 'STARTING' | 'STOPPING' | 'ARCHIVING' | 'DELETING';

  /** What is being done, in words */
  progress: string | null;
  archived: boolean;
  error: WorkspaceError | null;
  standby_ttl_seconds: number;

  /** null: never */
  archive_ttl_seconds: number | null;
  created_at: string;
  last_access_at: string;
  delete_requested_at: string | null;

  /** Where it is reached, with a key or a session */
  url: string;
}

export interface WorkspaceError {
  code: string;
  message: string;

  /** Failures in a row */
  count: number;

  /** It is tried again only after `retry` */
  terminal: boolean;
  at: string;
}

export interface WorkspaceList {
  workspaces: Array<Workspace>;
  next_cursor: string | null;
}

export interface WorkspaceChange {
  desired_state?: 'PENDING' | 'STANDBY' | 'RUNNING' | undefined;
  name?: string | null | undefined;

  /** From the next start on */
  image_ref?: string | undefined;

  /** How long it runs after its last use; null: the service's own value */
  standby_ttl_seconds?: number | null | undefined;

  /** How long it stays in STANDBY before it is archived; null: never */
  archive_ttl_seconds?: number | null | undefined;
}

export interface WorkspaceSession {
  url: string;
  expires_at: string;
}

export interface WorkspaceProgress {
  operation: 'NONE' | 'PROVISIONING' | 'RESTORING' | 'STARTING' | 'STOPPING' | 'ARCHIVING' | 'DELETING';
  message: string;
}

export interface FunctionRequest {
  /** An image that answers HTTP on `port`, of those that `ALLOWED_IMAGES` names */
  image?: string | undefined;

  /** Instead of an image, on ECS: a name from the operator's list */
  task_definition?: string | undefined;

  /** Environment variables of the program, at most 100 and 65536 bytes. Their values are shown to nobody */
  env?: Record<string, string> | undefined;
  port?: number | undefined;

  /** Where calls go */
  path?: string | undefined;

  /** How long a call may take, its wait for a worker aside */
  timeout_seconds?: number | undefined;

  /** Of each worker */
  resources?:
    | { cpus?: number | undefined; memory_mb?: number | undefined; pids?: number | undefined }
    | undefined;
  scaling?:
    | {
        /** Workers that are kept ready */
        min_capacity?: number | undefined;

        /** Most workers, in whatever state */
        max_capacity?: number | undefined;

        /** Seconds after which a worker that nobody used is ended, unless that leaves too few */
        idle_timeout?: number | undefined;

        /** Seconds that a call waits for a worker */
        acquire_timeout?: number | undefined;

        /** How many calls wait at one instance */
        queue?: number | undefined;
      }
    | undefined;
}

export interface Function {
  name: string;
  image: string | null;
  task_definition: string | null;

  /** Of its environment; the values are not shown */
  env_names: Array<string>;
  port: number;
  path: string;
  timeout_seconds: number;
  resources: { cpus: number; memory_mb: number; pids: number };
  scaling: {
    min_capacity: number;
    max_capacity: number;
    idle_timeout: number;
    acquire_timeout: number;
    queue: number;
  };

  /** Another one for another image, environment, port or resources: workers of one before are ended */
  revision: string;
  created_at: string;
  updated_at: string;
}

export interface FunctionList {
  functions: Array<Function>;
  next_cursor: string | null;
}

export interface PoolFigures {
  pools: Array<{
    tenant: string;
    function_name: string;

    /** In whatever state: each counts until it is gone */
    total_workers: number;
    idle: number;
    paused: number;
    busy: number;
    provisioning: number;
    terminating: number;
    max_capacity: number;
    min_capacity: number;
    acquire_timeout: number;
  }>;
  collected_at: string;
}

export interface ContainerFigures {
  containers: Array<{
    container_id: string;
    tenant: string | null;
    function_name: string | null;
    container_name: string;

    /** The worker's; of one that nobody knows, the engine's word */
    state: string;
    memory_current: number | null;
    memory_max: number | null;
    oom_events: number | null;
    cpu_usage_ns: number | null;
    exit_code: number | null;

    /** Always 0: a worker that ended is replaced by another */
    restart_count: number;
    exit_time: string | null;
    collected_at: string;
  }>;

  /** Those whose figures could not be had */
  failures: Array<{ container_id: string; error: string }>;
}

export interface WarmPool {
  /** Containers that are ready */
  size: number;

  /** How many there should be; follows demand within the sizes */
  target: number;

  /** Containers being made */
  starting: number;
  min_size: number;
  max_size: number;
}

export interface WarmPoolSizes {
  min_size: number;
  max_size: number;
}

export interface ContainerList {
  containers: Array<Container>;
}

export interface Container {
  container_id: string;
  role: 'conversation' | 'workspace' | 'function';
  state: 'created' | 'running' | 'paused' | 'exited';
  created_at: string;

  /** A conversation, a workspace, a function, the warm pool, on its way in or out, or null: nobody */
  owner: ContainerOwner | ContainerWorkspace | ContainerFunction | 'warm' | 'starting' | 'stopping' | null;

  /** When it ends if nothing is done with it */
  expires_at: string | null;
}

export interface ContainerOwner {
  tenant: string;
  conversation_id: string;
  status: 'preparing' | 'ready' | 'running' | 'idle' | 'draining';
}

export interface ContainerWorkspace {
  tenant: string;
  workspace_id: string;
}

export interface ContainerFunction {
  tenant: string;
  function_name: string;
}

export interface KilledContainer {
  container_id: string;
  status: 'stopping';
}

export interface SweepRequest {
  /** What the breaker holds may be ended: all that has no owner at this look */
  release_breaker?: boolean | undefined;
}

export interface SweepReport {
  /** Containers that the backend has */
  listed: number;

  /** Without an owner, and waiting for another look */
  marked: number;

  /** Given back to their conversation */
  adopted: number;
  destroyed: number;

  /** Kept by the breaker until it is released */
  held: number;

  /** Conversations whose container is gone */
  lost: number;

  /** When there is something to do about those marked */
  next_look_in_seconds: number | null;
}

export interface Health {
  status: 'ok';
  version: string;
}

export interface Readiness {
  status: 'ready' | 'unready';

  /** With an admin key only */
  dependencies?: Array<{ name: string; ready: boolean; vital: boolean; detail: string }> | undefined;
}

export type ErrorCode = Problem['code'];

/** Whether the same request may succeed later. */
export const RETRYABLE: Readonly<Record<ErrorCode, boolean>> = {
  INVALID_REQUEST: false,
  INVALID_ID: false,
  INVALID_PATH: false,
  UNAUTHENTICATED: false,
  FORBIDDEN: false,
  ROUTE_NOT_FOUND: false,
  CONVERSATION_NOT_FOUND: false,
  EXECUTION_NOT_FOUND: false,
  TERMINAL_NOT_FOUND: false,
  FILE_NOT_FOUND: false,
  CONTAINER_NOT_FOUND: false,
  WORKSPACE_NOT_FOUND: false,
  FUNCTION_NOT_FOUND: false,
  METHOD_NOT_ALLOWED: false,
  IDEMPOTENCY_CONFLICT: false,
  CONVERSATION_LOCKED: true,
  CONVERSATION_DRAINING: true,
  WORKSPACE_EXISTS: false,
  WORKSPACE_DELETING: false,
  VOLUME_IN_USE: true,
  BODY_TOO_LARGE: false,
  UNSUPPORTED_MEDIA_TYPE: false,
  QUOTA_EXCEEDED: true,
  CAPACITY_EXCEEDED: true,
  INTERNAL: true,
  NOT_SUPPORTED: false,
  CONTAINER_CRASHED: true,
  IMAGE_PULL_FAILED: false,
  CONTAINER_CREATE_FAILED: true,
  WORKSPACE_NOT_ANSWERING: true,
  WORKER_FAILED: false,
  VOLUME_NOT_FOUND: false,
  VOLUME_CREATE_FAILED: true,
  ARCHIVE_FAILED: true,
  ARCHIVE_CORRUPT: false,
  ACQUIRE_TIMEOUT: true,
  FUNCTION_UNAVAILABLE: true,
  BACKEND_UNAVAILABLE: true,
  EGRESS_UNAVAILABLE: true,
  STORE_UNAVAILABLE: true,
  IMAGE_PREPARING: true,
  SHUTTING_DOWN: true,
  WORKSPACE_UNAVAILABLE: true,
  START_TIMEOUT: true,
  HEALTH_CHECK_FAILED: true,
  INVOKE_TIMEOUT: false,
  DISK_FULL: false,
  SANDBOX_EXHAUSTED: true,
};

/** Every call: what it takes, and what it answers. */
export interface Calls {
  /** How everything stands, at a glance */
  'GET /v1/overview': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: Overview;
    events: { overview: Overview };
  };
  /** Run an agent, or a script, and stream what it does */
  'POST /v1/conversations/{id}/execute': {
    params: { id: string };
    query: Record<never, never>;
    body: ExecuteRequest;
    answer: unknown;
    events: {
      container: ContainerEvent;
      text_delta: TextDeltaEvent;
      thinking: ThinkingEvent;
      tool_use: ToolUseEvent;
      tool_result: ToolResultEvent;
      system: SystemEvent;
      gap: GapEvent;
      container_recovered: ContainerRecoveredEvent;
      done: DoneEvent;
      error: ErrorEvent;
    };
  };
  /** List the executions of a conversation */
  'GET /v1/conversations/{id}/executions': {
    params: { id: string };
    query: { limit?: number | undefined };
    body: undefined;
    answer: ExecutionList;
  };
  /** Get an execution */
  'GET /v1/conversations/{id}/executions/{execution_id}': {
    params: { id: string; execution_id: string };
    query: Record<never, never>;
    body: undefined;
    answer: Execution;
  };
  /** Attach to an execution */
  'GET /v1/conversations/{id}/executions/{execution_id}/events': {
    params: { id: string; execution_id: string };
    query: { after?: number | undefined };
    body: undefined;
    answer: unknown;
    events: {
      container: ContainerEvent;
      text_delta: TextDeltaEvent;
      thinking: ThinkingEvent;
      tool_use: ToolUseEvent;
      tool_result: ToolResultEvent;
      system: SystemEvent;
      gap: GapEvent;
      container_recovered: ContainerRecoveredEvent;
      done: DoneEvent;
      error: ErrorEvent;
    };
  };
  /** Cancel an execution */
  'POST /v1/conversations/{id}/executions/{execution_id}/cancel': {
    params: { id: string; execution_id: string };
    query: Record<never, never>;
    body: undefined;
    answer: Execution;
  };
  /** Run a command */
  'POST /v1/conversations/{id}/exec': {
    params: { id: string };
    query: Record<never, never>;
    body: ExecRequest;
    answer: ExecResult;
    events: { output: ExecOutput; exit: ExecExit; error: ExecFailure };
  };
  /** Run a command and get its stdout's bytes */
  'POST /v1/conversations/{id}/exec/binary': {
    params: { id: string };
    query: Record<never, never>;
    body: ExecRequest;
    answer: unknown;
  };
  /** Open a terminal */
  'POST /v1/conversations/{id}/terminals': {
    params: { id: string };
    query: Record<never, never>;
    body: TerminalRequest;
    answer: Terminal;
  };
  /** List terminals */
  'GET /v1/conversations/{id}/terminals': {
    params: { id: string };
    query: Record<never, never>;
    body: undefined;
    answer: TerminalList;
  };
  /** End a terminal */
  'DELETE /v1/conversations/{id}/terminals/{terminal_id}': {
    params: { id: string; terminal_id: string };
    query: Record<never, never>;
    body: undefined;
    answer: undefined;
  };
  /** Attach to a terminal */
  'GET /v1/conversations/{id}/terminals/{terminal_id}/socket': {
    params: { id: string; terminal_id: string };
    query: { after?: string | undefined };
    body: undefined;
    answer: undefined;
  };
  /** List the files */
  'GET /v1/conversations/{id}/files': {
    params: { id: string };
    query: Record<never, never>;
    body: undefined;
    answer: FileList;
  };
  /** Read a file */
  'GET /v1/conversations/{id}/files/{path}': {
    params: { id: string; path: string };
    query: Record<never, never>;
    body: undefined;
    answer: unknown;
  };
  /** Write a file */
  'PUT /v1/conversations/{id}/files/{path}': {
    params: { id: string; path: string };
    query: { durable?: 'true' | 'false' | undefined };
    body: unknown;
    answer: undefined;
  };
  /** Delete a file */
  'DELETE /v1/conversations/{id}/files/{path}': {
    params: { id: string; path: string };
    query: { durable?: 'true' | 'false' | undefined };
    body: undefined;
    answer: undefined;
  };
  /** List conversations that have a container */
  'GET /v1/conversations': {
    params: Record<never, never>;
    query: {
      status?: 'preparing' | 'ready' | 'running' | 'idle' | 'draining' | undefined;
      limit?: number | undefined;
      cursor?: string | undefined;
    };
    body: undefined;
    answer: ConversationList;
  };
  /** Get a conversation */
  'GET /v1/conversations/{id}': {
    params: { id: string };
    query: Record<never, never>;
    body: undefined;
    answer: Conversation;
  };
  /** Delete a conversation */
  'DELETE /v1/conversations/{id}': {
    params: { id: string };
    query: { purge?: 'true' | 'false' | undefined };
    body: undefined;
    answer: undefined;
  };
  /** Show what a conversation lets out in its own way */
  'GET /v1/conversations/{id}/egress': {
    params: { id: string };
    query: Record<never, never>;
    body: undefined;
    answer: Egress;
  };
  /** Set what a conversation lets out */
  'PUT /v1/conversations/{id}/egress': {
    params: { id: string };
    query: Record<never, never>;
    body: EgressRequest;
    answer: Egress;
  };
  /** Make a workspace */
  'POST /v1/workspaces': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: NewWorkspace;
    answer: Workspace;
  };
  /** List workspaces */
  'GET /v1/workspaces': {
    params: Record<never, never>;
    query: { limit?: number | undefined; cursor?: string | undefined };
    body: undefined;
    answer: WorkspaceList;
  };
  /** Get a workspace */
  'GET /v1/workspaces/{id}': {
    params: { id: string };
    query: Record<never, never>;
    body: undefined;
    answer: Workspace;
  };
  /** Say what is wanted of a workspace */
  'PATCH /v1/workspaces/{id}': {
    params: { id: string };
    query: Record<never, never>;
    body: WorkspaceChange;
    answer: Workspace;
  };
  /** Delete a workspace */
  'DELETE /v1/workspaces/{id}': {
    params: { id: string };
    query: Record<never, never>;
    body: undefined;
    answer: undefined;
  };
  /** Try again what failed */
  'POST /v1/workspaces/{id}/retry': {
    params: { id: string };
    query: Record<never, never>;
    body: undefined;
    answer: Workspace;
  };
  /** Make a link that opens it in a browser */
  'POST /v1/workspaces/{id}/sessions': {
    params: { id: string };
    query: Record<never, never>;
    body: undefined;
    answer: WorkspaceSession;
  };
  /** Follow a workspace */
  'GET /v1/workspaces/{id}/events': {
    params: { id: string };
    query: Record<never, never>;
    body: undefined;
    answer: unknown;
    events: { state_changed: Workspace; progress: WorkspaceProgress; error: WorkspaceError };
  };
  /** Define a function */
  'PUT /v1/functions/{name}': {
    params: { name: string };
    query: Record<never, never>;
    body: FunctionRequest;
    answer: Function;
  };
  /** Get a function */
  'GET /v1/functions/{name}': {
    params: { name: string };
    query: Record<never, never>;
    body: undefined;
    answer: Function;
  };
  /** Delete a function */
  'DELETE /v1/functions/{name}': {
    params: { name: string };
    query: Record<never, never>;
    body: undefined;
    answer: undefined;
  };
  /** List functions */
  'GET /v1/functions': {
    params: Record<never, never>;
    query: { limit?: number | undefined; cursor?: string | undefined };
    body: undefined;
    answer: FunctionList;
  };
  /** Call a function */
  'POST /v1/functions/{name}/invoke': {
    params: { name: string };
    query: Record<never, never>;
    body: unknown;
    answer: unknown;
  };
  /** The pools of functions */
  'GET /metrics/pools': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: PoolFigures;
  };
  /** What the workers of functions use */
  'GET /metrics/containers': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: ContainerFigures;
  };
  /** The pool of containers ready for conversations to come */
  'GET /v1/warm-pool': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: WarmPool;
  };
  /** Set the sizes of the pool */
  'PUT /v1/warm-pool': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: WarmPoolSizes;
    answer: WarmPool;
  };
  /** Everything that the backend runs for this installation */
  'GET /v1/containers': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: ContainerList;
  };
  /** The output of a container */
  'GET /v1/containers/{id}/logs': {
    params: { id: string };
    query: { tail?: number | undefined };
    body: undefined;
    answer: string;
  };
  /** Kill a container */
  'DELETE /v1/containers/{id}': {
    params: { id: string };
    query: Record<never, never>;
    body: undefined;
    answer: KilledContainer;
  };
  /** Reconcile with the backend now */
  'POST /v1/sweep': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: SweepRequest;
    answer: SweepReport;
  };
  /** Whether the service is alive */
  'GET /health': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: Health;
  };
  /** Whether the service can serve */
  'GET /ready': {
    params: Record<never, never>;
    query: { once?: 'true' | 'false' | undefined };
    body: undefined;
    answer: Readiness;
  };
  /** Metrics for Prometheus */
  'GET /metrics': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: string;
  };
  /** The API as an OpenAPI document */
  'GET /openapi.json': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: { [field: string]: unknown };
  };
  /** The documentation: its table of contents */
  'GET /docs': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: unknown;
  };
  /** The API as a page */
  'GET /docs/api': {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: unknown;
  };
  /** A page of the documentation */
  'GET /docs/{path}': {
    params: { path: string };
    query: Record<never, never>;
    body: undefined;
    answer: unknown;
  };
}
