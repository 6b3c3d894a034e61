import { createHash } from 'node:crypto';
import type { EgressState } from '../contracts/egress.ts';

/** A state is replaced, never changed. */
const known = new WeakMap<EgressState, string>();

/** The same for the same rules, in whatever order they come. */
export function stateHash(state: EgressState | undefined): string {
  const before = state && known.get(state);
  if (before !== undefined) return before;
  const hash = createHash('sha256')
    .update(JSON.stringify(state ?? null, inOrder))
    .digest('hex');
  if (state !== undefined) known.set(state, hash);
  return hash;
}

function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
