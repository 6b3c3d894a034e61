import type { Call } from '../agent.ts';
import { queryValues } from '../http/query.ts';
import { Problem } from '../problem.ts';

export type NamePredicate = (name: string) => boolean;

const MAX_PATTERNS = 200;

/** The names that `?exclude=` leaves out, wherever in the tree: `node_modules`, `*.pyc`. */
export function excludedNames({ query }: Call): NamePredicate {
  const patterns = queryValues(query, 'exclude');
  if (patterns.length > MAX_PATTERNS) {
    throw new Problem('INVALID_REQUEST', `at most ${MAX_PATTERNS} names can be excluded`);
  }
  const exact = new Set(patterns.filter((pattern) => !pattern.includes('*')));
  const globs = patterns.filter((pattern) => pattern.includes('*')).map((pattern) => pattern.split('*'));
  return (name) => exact.has(name) || globs.some((parts) => matches(name, parts));
}

/** Whether a name is these parts in order, with anything between them. Never looks back. */
function matches(name: string, parts: string[]): boolean {
  const [first = '', ...others] = parts;
  const last = others.pop() ?? '';
  if (name.length < first.length + last.length) return false;
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  const end = name.length - last.length;
  let at = first.length;
  for (const part of others) {
    const found = name.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
