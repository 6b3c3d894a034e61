import type { AgentProblem, AgentProblemCode } from '../../../runtime/contracts/agent-protocol.ts';

/** The HTTP status of every refusal; a code without one does not compile. */
const STATUS: Record<AgentProblemCode, number> = {
  UNAUTHENTICATED: 401,
  ROUTE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  INVALID_REQUEST: 400,
  INVALID_PATH: 400,
  FILE_NOT_FOUND: 404,
  BODY_TOO_LARGE: 413,
  ALREADY_ASSIGNED: 409,
  EXECUTION_RUNNING: 409,
  EXECUTION_NOT_FOUND: 404,
  EXECUTION_FORGOTTEN: 410,
  TERMINAL_NOT_FOUND: 404,
  TOO_MANY_TERMINALS: 429,
  NOT_SUPPORTED: 501,
  COMMAND_NOT_FOUND: 400,
  NO_RESOURCES: 503,
  DISK_FULL: 507,
  INTERNAL: 500,
};

/** Messages name programs and paths, which may be of any length. */
const MAX_MESSAGE = 1000;

/** A refusal that the caller is told about: its message goes out as it is. */
export class Problem extends Error {
  readonly code: AgentProblemCode;
  readonly #more: Pick<AgentProblem, 'execution_id'>;

  constructor(code: AgentProblemCode, message: string, more: Pick<AgentProblem, 'execution_id'> = {}) {
    super(message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message);
    this.code = code;
    this.#more = more;
  }

  /** What the caller gets. */
  get body(): AgentProblem {
    return { code: this.code, message: this.message, ...this.#more };
  }

  get status(): number {
    return STATUS[this.code];
  }
}

/** The `code` of a system error (`ENOENT`, …), or undefined for anything else. */
export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
