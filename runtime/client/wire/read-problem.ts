import type { Problem } from '../api.ts';
import { BerthError } from './berth-error.ts';

/** More than any problem has. */
const MOST_BYTES = 64 * 1024;

/** The error that an answer is, whatever is in it. */
export async function readProblem(answer: Response): Promise<BerthError> {
  const { status, headers } = answer;
  const problem = parsed(await beginning(answer));
  const known = {
    status,
    requestId: problem?.request_id ?? headers.get('x-request-id') ?? undefined,
    retryAfter: seconds(headers.get('retry-after')) ?? problem?.retry_after,
  };
  if (problem?.code === undefined) return new BerthError('UNEXPECTED_ANSWER', strange(answer), known);
  return new BerthError(problem.code, problem.detail ?? problem.title ?? '', { ...known, problem });
}

function strange({ status, type, headers }: Response): string {
  const location = headers.get('location');
  if (type === 'opaqueredirect' || location !== null)
    return `the service sends elsewhere${location === null ? '' : `, to ${location}`}: give that address as \`url\``;
  return `status ${status} without a problem of Berth's: something else answers at this address`;
}

/** Of the right types only: what stands at an address may answer anything. */
function parsed(text: string): Partial<Problem> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return undefined;
    const { code, detail, title, request_id, retry_after } = value as Record<string, unknown>;
    const texts = [code, detail, title, request_id].every(
      (each) => each === undefined || typeof each === 'string',
    );
    const numbers = retry_after === undefined || typeof retry_after === 'number';
    return texts && numbers ? (value as Partial<Problem>) : undefined; // looked at just now
  } catch {
    return undefined;
  }
}

/** What is longer is cut, and then no JSON. */
async function beginning({ body }: Response): Promise<string> {
  if (body === null) return '';
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.length;
    text += decoder.decode(value, { stream: true });
    if (bytes > MOST_BYTES) {
      await reader.cancel();
      return text;
    }
  }
}

/** A number of seconds, or a date. */
function seconds(header: string | null): number | undefined {
  if (header === null) return undefined;
  const number = Number(header);
  if (Number.isFinite(number) && number >= 0) return number;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / 1000);
}
