import type { ServerResponse } from 'node:http';
import { BerthError, ERRORS, type ErrorCode, type ErrorFields } from '../contracts/errors.ts';

export const PROBLEM_TYPE = 'application/problem+json';

/** RFC 9457. */
export interface Problem extends Omit<ErrorFields, 'allow'> {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ErrorCode;
  request_id: string;
}

/** What is said instead of a detail that tells of the inside; the log has that. */
const PUBLIC_DETAIL: Partial<Record<ErrorCode, string>> = {
  INTERNAL: 'an unexpected error; the log has it under this request id',
  BACKEND_UNAVAILABLE: 'the container engine does not answer; the log tells more',
};

export function problemOf(error: BerthError, requestId: string): Problem {
  const { status, title } = ERRORS[error.code];
  const { allow: _allow, final: _final, ...fields } = error.fields;
  return {
    type: `/docs#${error.code}`,
    title,
    status,
    detail: PUBLIC_DETAIL[error.code] ?? error.detail,
    code: error.code,
    request_id: requestId,
    ...fields,
  };
}

export function sendProblem(response: ServerResponse, error: BerthError, requestId: string): void {
  const problem = problemOf(error, requestId);
  if (error.fields.retry_after !== undefined)
    response.setHeader('Retry-After', String(error.fields.retry_after));
  if (error.fields.allow !== undefined) response.setHeader('Allow', error.fields.allow.join(', '));
  if (error.code === 'UNAUTHENTICATED') response.setHeader('WWW-Authenticate', 'Bearer');
  const body = JSON.stringify(problem);
  response.statusCode = problem.status;
  response.setHeader('Content-Type', PROBLEM_TYPE);
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(body);
}

/** Whatever was thrown, as one of our errors. The unknown tells nothing of the inside. */
export function asBerthError(error: unknown): BerthError {
  if (error instanceof BerthError) return error;
  return fromExpress(error) ?? new BerthError('INTERNAL', 'unexpected', {}, error);
}

/** Express fails a broken escape in the address by itself. */
function fromExpress(error: unknown): BerthError | undefined {
  if (!(error instanceof URIError)) return undefined;
  return new BerthError('INVALID_PATH', 'the address has a broken % escape', {}, error);
}
