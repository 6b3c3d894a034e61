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
  const count = failuresBefore(row, failure.code) + 1;
  return {
    code: failure.code,
    message: failure.detail.slice(0, MESSAGE_LENGTH),
    count,
    terminal: isFinal(failure) || (!isOutage(failure.code) && count >= ATTEMPTS),
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

/** In a row, since the user's last word. What comes before or after an outage is not held responsible for it. */
function failuresBefore({ error, desiredVersion }: WorkspaceRow, code: string): number {
  if (error === null || error.desiredVersion !== desiredVersion) return 0;
  return isOutage(error.code) === isOutage(code) ? error.count : 0;
}

function isOutage(code: string): boolean {
  return OUTAGES.includes(code);
}

/** What nobody thought of may pass. */
function inOurWords(error: unknown): BerthError {
  if (isBerthError(error)) return error;
  return new BerthError('INTERNAL', error instanceof Error ? error.message : String(error), {}, error);
}
