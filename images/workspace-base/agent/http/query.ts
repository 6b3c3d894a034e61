import { Problem } from '../problem.ts';

/**
 * Every value of one parameter. Unlike `URLSearchParams` it refuses what is no UTF-8 instead of
 * replacing it: a replaced byte would name another file.
 */
export function queryValues(query: string, name: string): string[] {
  return query
    .split('&')
    .map((pair) => splitOnce(pair, '='))
    .filter(([key]) => decode(key) === name)
    .map(([, value]) => decode(value));
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new Problem('INVALID_REQUEST', 'the query is not percent-encoded UTF-8');
  }
}
