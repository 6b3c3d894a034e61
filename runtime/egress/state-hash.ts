import { createHash } from 'node:crypto';
import type { EgressState } from '../contracts/egress.ts';

/** The same for the same rules, in whatever order they come. */
export function stateHash(state: EgressState | undefined): string {
  return createHash('sha256')
    .update(JSON.stringify(state ?? null, inOrder))
    .digest('hex');
}

function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
