import { BerthError, isBerthError } from '../../contracts/errors.ts';

/** Of connections that could not be made or broke. */
const NETWORK = new Set(
  'ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH ENETDOWN ENOTFOUND EAI_AGAIN'.split(
    ' ',
  ),
);
/** Answers that ask to try again, whatever their status. */
const PASSING = new Set([
  'RequestTimeout',
  'RequestTimeTooSkewed',
  'SlowDown',
  'InternalError',
  'ServiceUnavailable',
  'ThrottlingException',
]);
const NOT_IMPLEMENTED = 501;

/** Whether the store is away, and the call may have been carried out or may work later. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const status = statusOf(error);
  if (error.name === 'TimeoutError' || PASSING.has(error.name)) return true;
  if (status !== undefined) return status === 429 || (status >= 500 && status !== NOT_IMPLEMENTED);
  return 'code' in error && NETWORK.has(String(error.code));
}

/** Nothing came back, or nothing moved, for too long. */
export function tooSlow(ms: number): Error {
  const error = new Error(`nothing moved for ${(ms / 1000).toFixed(1)} s`);
  error.name = 'TimeoutError';
  return error;
}

/**
 * The condition of a put does not hold. One on a version whose object is gone is told as that there is no such key. The
 * end of an upload in parts may be answered so after a status that said otherwise.
 */
export function isPreconditionFailed(error: unknown): boolean {
  return statusOf(error) === 412 || isNoSuchKey(error) || isCalled(error, 'PreconditionFailed');
}

/** Another write to the key was under way: whether the condition holds can't be said. */
export function isConcurrentWrite(error: unknown): boolean {
  return statusOf(error) === 409 || isCalled(error, 'ConditionalRequestConflict');
}

/** It was completed, or given up, before. */
export function isNoSuchUpload(error: unknown): boolean {
  return isCalled(error, 'NoSuchUpload');
}

export function isNoSuchKey(error: unknown): boolean {
  return isNotFound(error) && isCalled(error, 'NoSuchKey');
}

function isCalled(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name;
}

export function isNotFound(error: unknown): boolean {
  return statusOf(error) === 404;
}

/** For `catch`: undefined for what only says that there is no such object. */
export function absentWhen(saysSo: (error: unknown) => boolean): (error: unknown) => undefined {
  return (error) => {
    if (!saysSo(error)) throw error;
  };
}

/** Of an outage callers are told the kind only: its words may have addresses of the inside. */
export function explain(what: string, error: unknown): BerthError {
  if (isBerthError(error)) return error;
  if (isOutage(error)) {
    return new BerthError(
      'STORE_UNAVAILABLE',
      `The object store did not ${what} (${kindOf(error)}).`,
      {},
      error,
    );
  }
  const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new BerthError('INTERNAL', `The object store refused to ${what} (${words}).`, {}, error);
}

function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('$metadata' in error)) return undefined;
  const { $metadata } = error;
  if (typeof $metadata !== 'object' || $metadata === null || !('httpStatusCode' in $metadata))
    return undefined;
  return typeof $metadata.httpStatusCode === 'number' ? $metadata.httpStatusCode : undefined;
}
