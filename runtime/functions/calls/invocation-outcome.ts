import { BerthError, isBerthError } from '../../contracts/errors.ts';
import { AnswerFailure } from '../../http1/answer-failure.ts';

/** What became of a call. */
export type InvocationOutcome =
  | 'answered'
  | 'worker_failed'
  | 'timeout'
  | 'cancelled'
  | 'no_worker'
  | 'unavailable';

/** What the caller is told of a call that came to nothing. */
export function problemOf(
  outcome: InvocationOutcome,
  seconds: number,
  error: unknown,
  client: AbortSignal,
): unknown {
  if (outcome === 'cancelled') return client.reason ?? error;
  if (outcome === 'timeout')
    return new BerthError('INVOKE_TIMEOUT', `the function did not answer within ${seconds} s`);
  const what = error instanceof Error ? said(error) : 'it broke off';
  return new BerthError('WORKER_FAILED', `the worker failed before it answered: ${what}`, {}, error);
}

/** In words that tell nothing of the inside. */
function said(error: Error & { code?: string }): string {
  if (error instanceof AnswerFailure)
    return error.about === 'answer'
      ? `what it says is no valid HTTP: ${error.message}`
      : 'it broke the connection off';
  if (error.code === undefined) return error.message;
  if (error.code.startsWith('ERR_')) return 'what it says is no valid HTTP';
  return error.code;
}

/** What says that the function itself is not well. */
export function isFault(error: unknown): boolean {
  return isBerthError(
    error,
    'IMAGE_PULL_FAILED',
    'CONTAINER_CREATE_FAILED',
    'HEALTH_CHECK_FAILED',
    'START_TIMEOUT',
  );
}
