import { BerthError } from '../client/wire/berth-error.ts';
import { Failure } from './command-spec.ts';
import { escaped } from './terminal/escape.ts';

/** What to say of an error, in one line, and the code to end with. */
export function failureOf(error: unknown): { message: string; exitCode: number } {
  if (error instanceof Failure) return { message: error.message, exitCode: 1 };
  if (error instanceof BerthError) {
    // The client refuses by itself what could be no address: nobody else was asked.
    const typed = error.status === undefined && error.code.startsWith('INVALID_');
    return { message: told(error), exitCode: typed ? 2 : 1 };
  }
  const { code, message } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  if (code !== undefined) return { message: escaped(message ?? code), exitCode: 1 };
  return { message: `it failed: ${escaped(String(error))}`, exitCode: 1 };
}

/** The service's own words, with what it says of each field, and its code for those who look it up. */
function told({ code, detail, problem, retryAfter }: BerthError): string {
  const fields = (problem?.errors ?? [])
    .filter(({ message }) => !detail.includes(message))
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  const later = retryAfter === undefined ? '' : `; try again in ${Math.ceil(retryAfter)} s`;
  const words = [detail, ...fields].filter((text) => text !== '').join('; ');
  // What was never answered has no code that anybody could look up.
  return escaped(code === 'NOT_REACHED' ? words : `${words}${later} (${code})`);
}
