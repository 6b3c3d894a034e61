import { BerthError, type ErrorCode, isBerthError } from '../contracts/errors.ts';
import type { WorkspaceRow } from '../database/workspace-row.ts';
import type { OperationFailure } from '../database/workspaces.ts';

const ATTEMPTS = 3;
export const RETRY_SECONDS = 30;
/** An operator's words are as long as an engine's last lines. */
const MESSAGE_LENGTH = 4_000;

/** Not the workspace's fault: it is tried for as long as that lasts. */
const OUTAGES: readonly string[] = [
  'BACKEND_UNAVAILABLE',
  'STORE_UNAVAILABLE',
  'EGRESS_UNAVAILABLE',
  'SHUTTING_DOWN',
] satisfies ErrorCode[];

/** What an operation's end with an error means: tried again, how soon, or not before a word of the user. */
export function failureOf(row: WorkspaceRow, error: unknown): OperationFailure {
  const failure = inOurWords(error);
  return {
    code: failure.code,
    message: failure.detail.slice(0, MESSAGE_LENGTH),
    terminal: isFinal(failure) || (!OUTAGES.includes(failure.code) && failuresBefore(row) + 1 >= ATTEMPTS),
    retrySeconds: RETRY_SECONDS,
    desiredVersion: row.desiredVersion,
  };
}

/** Trying again can't help before somebody has done something about it. */
function isFinal(failure: BerthError): boolean {
  return (
    failure.fields.final === true ||
    isBerthError(failure, 'CONTAINER_CREATE_FAILED', 'VOLUME_NOT_FOUND', 'ARCHIVE_CORRUPT', 'NOT_SUPPORTED')
  );
}

/** In a row, since the user's last word. What follows an outage is not held responsible for it. */
function failuresBefore({ error, desiredVersion }: WorkspaceRow): number {
  if (error === null || error.desiredVersion !== desiredVersion || OUTAGES.includes(error.code)) return 0;
  return error.count;
}

/** What nobody thought of may pass. */
function inOurWords(error: unknown): BerthError {
  if (isBerthError(error)) return error;
  return new BerthError('INTERNAL', error instanceof Error ? error.message : String(error), {}, error);
}
