import { asFailure } from '../containers/turns.ts';
import { type BerthError, isBerthError } from '../contracts/errors.ts';
import type { WorkspaceRow } from '../database/workspace-row.ts';
import type { OperationFailure } from '../database/workspaces.ts';

const ATTEMPTS = 3;
export const RETRY_SECONDS = 30;
/** An operator's words are as long as an engine's last lines. */
const MESSAGE_LENGTH = 4_000;

/** What an operation's end with an error means: tried again, how soon, or not before a word of the user. */
export function failureOf(row: WorkspaceRow, error: unknown): OperationFailure {
  const failure = asFailure(error);
  const before = row.error?.desiredVersion === row.desiredVersion ? row.error.count : 0;
  return {
    code: failure.code,
    message: failure.detail.slice(0, MESSAGE_LENGTH),
    terminal: isFinal(failure) || (!isOutage(failure) && before + 1 >= ATTEMPTS),
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

/** Not the workspace's fault: it is tried for as long as that lasts. */
function isOutage(failure: BerthError): boolean {
  return isBerthError(
    failure,
    'BACKEND_UNAVAILABLE',
    'STORE_UNAVAILABLE',
    'EGRESS_UNAVAILABLE',
    'SHUTTING_DOWN',
  );
}
