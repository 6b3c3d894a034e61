/** Every way a call can fail: its status, its title, whether trying again can help, and what to do. */

interface ErrorRow {
  status: number;
  title: string;
  /** Whether the same request may succeed later without being changed. */
  retryable: boolean;
  /** What the caller can do about it, as a sentence for the reference. */
  advice: string;
}

const TABLE = {
  INVALID_REQUEST: {
    status: 400,
    title: 'The request is not valid',
    retryable: false,
    advice: 'Mend what `errors` lists; each entry names the field and what it wants.',
  },
  INVALID_ID: {
    status: 400,
    title: 'The id is not valid',
    retryable: false,
    advice:
      'A conversation id starts with a letter or digit and has at most 128 of `A-Z a-z 0-9 . _ -`. What other ids want, the `detail` says.',
  },
  INVALID_PATH: {
    status: 400,
    title: 'The path is not valid',
    retryable: false,
    advice: 'A file path is relative to `/workspace`, without `..`, and leads to a regular file inside it.',
  },
  UNAUTHENTICATED: {
    status: 401,
    title: 'A valid key is required',
    retryable: false,
    advice: 'Send `Authorization: Bearer <key>`; `berth keys create` makes a key.',
  },
  FORBIDDEN: {
    status: 403,
    title: 'This key may not do that',
    retryable: false,
    advice: 'Use a key of scope `admin`, or ask the operator to allow what `detail` names.',
  },
  ROUTE_NOT_FOUND: {
    status: 404,
    title: 'There is no such route',
    retryable: false,
    advice: 'See `/docs/api` for the routes.',
  },
  CONVERSATION_NOT_FOUND: {
    status: 404,
    title: 'There is no such conversation',
    retryable: false,
    advice: 'It has expired, was deleted, or belongs to another tenant. Its first use makes it anew.',
  },
  EXECUTION_NOT_FOUND: {
    status: 404,
    title: 'There is no such execution',
    retryable: false,
    advice: 'Executions are kept for 24 hours after their end; `GET …/executions` lists them.',
  },
  TERMINAL_NOT_FOUND: {
    status: 404,
    title: 'There is no such terminal',
    retryable: false,
    advice:
      'It was ended, has exited some minutes ago, or its container has ended: make another. `GET …/terminals` lists them.',
  },
  FILE_NOT_FOUND: {
    status: 404,
    title: 'There is no such file',
    retryable: false,
    advice: 'List the files with `GET /v1/conversations/{id}/files`.',
  },
  CONTAINER_NOT_FOUND: {
    status: 404,
    title: 'There is no such container',
    retryable: false,
    advice: 'It has ended already.',
  },
  WORKSPACE_NOT_FOUND: {
    status: 404,
    title: 'There is no such workspace',
    retryable: false,
    advice: 'It was deleted, or belongs to another tenant. `GET /v1/workspaces` lists yours.',
  },
  FUNCTION_NOT_FOUND: {
    status: 404,
    title: 'There is no such function',
    retryable: false,
    advice: 'It was deleted, or belongs to another tenant. `GET /v1/functions` lists yours.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'The route does not take this method',
    retryable: false,
    advice: 'The `Allow` header lists the methods it takes.',
  },
  IDEMPOTENCY_CONFLICT: {
    status: 409,
    title: 'The idempotency key was used with another request',
    retryable: false,
    advice: 'Send the same body with a key, or take a new key.',
  },
  CONVERSATION_LOCKED: {
    status: 409,
    title: 'An execution is running in this conversation',
    retryable: true,
    advice: 'Wait for the execution named in `execution_id`, or cancel it.',
  },
  CONVERSATION_DRAINING: {
    status: 409,
    title: 'The conversation is being deleted',
    retryable: true,
    advice: 'Try again after `retry_after` seconds: the next use makes a new one.',
  },
  WORKSPACE_EXISTS: {
    status: 409,
    title: 'There is, or was, a workspace of this id',
    retryable: false,
    advice: 'Choose another id, or none: ids are never used twice.',
  },
  WORKSPACE_DELETING: {
    status: 409,
    title: 'The workspace is being deleted',
    retryable: false,
    advice: 'Make another one.',
  },
  VOLUME_IN_USE: {
    status: 409,
    title: 'The volume is in use',
    retryable: true,
    advice: 'A container still has it; try again once that is gone.',
  },
  BODY_TOO_LARGE: {
    status: 413,
    title: 'The body is too large',
    retryable: false,
    advice: 'JSON may have 1 MiB. Send larger content as a file.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    title: 'The body is of another type than this route takes',
    retryable: false,
    advice: 'Send `Content-Type: application/json`.',
  },
  QUOTA_EXCEEDED: {
    status: 429,
    title: 'The quota of this key is used up',
    retryable: true,
    advice: 'Delete what is no longer used, or ask the operator for a higher limit.',
  },
  CAPACITY_EXCEEDED: {
    status: 429,
    title: 'There is no room for another container',
    retryable: true,
    advice: 'Try again after `retry_after` seconds, or raise `MAX_CONTAINERS`.',
  },
  INTERNAL: {
    status: 500,
    title: 'Something went wrong on our side',
    retryable: true,
    advice: 'Look for the `request_id` in the log of the runtime.',
  },
  NOT_SUPPORTED: {
    status: 501,
    title: 'This backend cannot do that',
    retryable: false,
    advice: 'The `detail` says which backend can.',
  },
  CONTAINER_CRASHED: {
    status: 502,
    title: 'The container ended while it worked',
    retryable: true,
    advice:
      'The next call gets a fresh container. If it happens again, look at the memory the command needs.',
  },
  IMAGE_PULL_FAILED: {
    status: 502,
    title: 'The image could not be had',
    retryable: false,
    advice: 'Check the name of the image and the access to its registry; `npm run images` builds ours.',
  },
  CONTAINER_CREATE_FAILED: {
    status: 502,
    title: 'The container could not be created',
    retryable: true,
    advice: 'The `detail` has the words of the engine.',
  },
  WORKSPACE_NOT_ANSWERING: {
    status: 502,
    title: 'The program in the workspace does not answer',
    retryable: true,
    advice: 'The workspace runs, but nothing answers on its port 8080: look at what its program does there.',
  },
  WORKER_FAILED: {
    status: 502,
    title: 'The worker failed while it had the call',
    retryable: false,
    advice:
      'It ended, or what it said was no answer. The call may have had effects, and was not made again: only its caller knows whether it can be.',
  },
  VOLUME_NOT_FOUND: {
    status: 409,
    title: 'The volume of the workspace is gone',
    retryable: false,
    advice: 'It was removed behind our back. `retry` goes on with the last archive, or with an empty home.',
  },
  VOLUME_CREATE_FAILED: {
    status: 502,
    title: 'The volume could not be made',
    retryable: true,
    advice: 'The `detail` has the words of the engine.',
  },
  ARCHIVE_FAILED: {
    status: 502,
    title: 'The home could not be archived or restored',
    retryable: true,
    advice: 'It is tried again by itself, and nothing was lost; the `detail` says what went wrong.',
  },
  ARCHIVE_CORRUPT: {
    status: 502,
    title: 'The archive is not what was written',
    retryable: false,
    advice:
      'The object store lost or changed it; bring it back from a version or backup of the bucket, then `retry`.',
  },
  ACQUIRE_TIMEOUT: {
    status: 503,
    title: 'No worker was free in time',
    retryable: true,
    advice: 'Try again after `retry_after` seconds, or give the function a higher `max_capacity`.',
  },
  FUNCTION_UNAVAILABLE: {
    status: 503,
    title: 'The function has failed too often',
    retryable: true,
    advice: 'Its last calls failed, so that it is left alone for a while: look at the logs of its workers.',
  },
  BACKEND_UNAVAILABLE: {
    status: 503,
    title: 'The container engine does not answer',
    retryable: true,
    advice: 'Try again; if it goes on, the operator should look at the engine.',
  },
  EGRESS_UNAVAILABLE: {
    status: 503,
    title: 'The egress proxy does not answer',
    retryable: true,
    advice: 'Try again; if it goes on, the operator should look at the log of the runtime.',
  },
  STORE_UNAVAILABLE: {
    status: 503,
    title: 'The store does not answer',
    retryable: true,
    advice:
      'Try again; if it goes on, the operator should look at Redis, the database or the object store: `detail` says which.',
  },
  IMAGE_PREPARING: {
    status: 503,
    title: 'The image is still being prepared',
    retryable: true,
    advice: 'Try again after `retry_after` seconds; the log shows the progress.',
  },
  SHUTTING_DOWN: {
    status: 503,
    title: 'The service is shutting down',
    retryable: true,
    advice: 'Try again: another instance, or the next start, will answer.',
  },
  WORKSPACE_UNAVAILABLE: {
    status: 503,
    title: 'The workspace does not run',
    retryable: true,
    advice:
      'It is being started, or could not be: `GET /v1/workspaces/{id}` tells. Try again after `retry_after` seconds.',
  },
  START_TIMEOUT: {
    status: 504,
    title: 'The container did not start in time',
    retryable: true,
    advice: 'Try again; if it goes on, the machine is short of CPU or disk.',
  },
  HEALTH_CHECK_FAILED: {
    status: 504,
    title: 'The container does not answer its health check',
    retryable: true,
    advice: 'Try again; the `detail` says what was seen.',
  },
  INVOKE_TIMEOUT: {
    status: 504,
    title: 'The function did not answer in time',
    retryable: false,
    advice: 'Its worker was ended. Give the function a longer `timeout_seconds`, if it needs one.',
  },
  DISK_FULL: {
    status: 507,
    title: 'The disk is full',
    retryable: false,
    advice:
      'Delete files in the conversation: `/workspace` holds 1 GiB. If `detail` names the object store, its disk is full.',
  },
  SANDBOX_EXHAUSTED: {
    status: 507,
    title: 'The container has no process or memory to spare',
    retryable: true,
    advice: 'End what runs in the conversation, or delete it and begin anew.',
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof TABLE;

/** Rows in the order of their status. */
export const ERRORS: Readonly<Record<ErrorCode, ErrorRow>> = TABLE;

/** Fields that some codes carry in their answer beside the common ones. */
export interface ErrorFields {
  retry_after?: number;
  errors?: { path: string; message: string }[];
  execution_id?: string;
  limit?: number;
  used?: number;
  allow?: string[];
  /** Trying again by itself can't help. */
  final?: boolean;
}

/** The one error of the runtime. `detail` is written for the caller and never holds a secret. */
export class BerthError extends Error {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly fields: ErrorFields;

  constructor(code: ErrorCode, detail: string, fields: ErrorFields = {}, cause?: unknown) {
    super(`${code}: ${detail}`, cause === undefined ? undefined : { cause });
    this.name = 'BerthError';
    this.code = code;
    this.detail = detail;
    this.fields = fields;
  }
}

export function isBerthError(error: unknown, ...codes: ErrorCode[]): error is BerthError {
  return error instanceof BerthError && (codes.length === 0 || codes.includes(error.code));
}
