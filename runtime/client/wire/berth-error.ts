import { type ErrorCode, type Problem, RETRYABLE } from '../api.ts';

/** What never came from the service: it was not reached, or what it said was no answer of its kind. */
export type ClientErrorCode =
  /** The service was not reached, or the connection broke. */
  | 'CONNECTION_FAILED'
  /** The caller's own signal. */
  | 'ABORTED'
  /** Not what a Berth answers: something else stands at this address, or between. */
  | 'UNEXPECTED_ANSWER'
  /** Of `result()`: the execution ended with an `error`. */
  | 'EXECUTION_FAILED';

/** Later versions of the service may have other codes. */
export type BerthErrorCode = ErrorCode | ClientErrorCode | (string & {});

export interface ErrorFacts {
  status?: number | undefined;
  requestId?: string | undefined;
  retryAfter?: number | undefined;
  /** The service's own words, whole. */
  problem?: Partial<Problem> | undefined;
  cause?: unknown;
}

/** Statuses that say "later", whoever says them. */
const LATER = [429, 502, 503, 504];

/** The one error that this client throws. */
export class BerthError extends Error {
  readonly code: BerthErrorCode;
  /** What happened, in a sentence. */
  readonly detail: string;
  /** Of the answer; none where there was no answer. */
  readonly status: number | undefined;
  /** Whether the same request may succeed later. It may have had effects, all the same. */
  readonly retryable: boolean;
  /** Seconds that the service asks to be left alone for. */
  readonly retryAfter: number | undefined;
  /** Under which the service's log has it. */
  readonly requestId: string | undefined;
  /** The answer's body, where it was a problem: `errors`, `execution_id`, `limit`, `used`. */
  readonly problem: Partial<Problem> | undefined;

  constructor(code: BerthErrorCode, detail: string, facts: ErrorFacts = {}) {
    super(`${code}: ${detail}`, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = 'BerthError';
    this.code = code;
    this.detail = detail;
    this.status = facts.status;
    this.retryable = isRetryable(code, facts.status);
    this.retryAfter = facts.retryAfter;
    this.requestId = facts.requestId;
    this.problem = facts.problem;
  }
}

/** What this version does not know of is judged by its status. */
function isRetryable(code: BerthErrorCode, status: number | undefined): boolean {
  if (code === 'CONNECTION_FAILED') return true;
  const known: Readonly<Record<string, boolean>> = RETRYABLE;
  return Object.hasOwn(known, code) ? known[code] === true : LATER.some((later) => later === status);
}

/** Whether waiting is all that it wants: the rest of the retryable ones want something done first. */
export function wantsWaiting({ retryable, status, retryAfter }: BerthError): boolean {
  return retryable && (status === undefined || LATER.includes(status) || retryAfter !== undefined);
}

/** Whatever a call threw, as the one error. */
export function asBerthError(error: unknown, signal?: AbortSignal): BerthError {
  if (error instanceof BerthError) return error;
  if (signal?.aborted === true) return aborted(signal);
  return new BerthError('CONNECTION_FAILED', `the service was not reached, or went away${reason(error)}`, {
    cause: error,
  });
}

export function aborted(signal: AbortSignal): BerthError {
  return new BerthError('ABORTED', "the caller's signal ended the call", { cause: signal.reason });
}

/** `fetch` says little by itself; its cause tells. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const { cause } = error;
  const code = cause instanceof Error ? ((cause as { code?: string }).code ?? cause.message) : undefined;
  return `: ${error.message}${code === undefined ? '' : ` (${code})`}`;
}
