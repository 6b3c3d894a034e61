import type { ContainerId } from '../contracts/ids.ts';

/** An orphan as one instance remembers it. */
export interface Mark {
  /** Milliseconds, by the clock of whoever looks. */
  since: number;
  /** The breaker keeps it: it is not ended without an operator's word. */
  held: boolean;
  /** An operator has given that word. */
  released: boolean;
}

export interface Orphans {
  /** Every orphan there is now; marks of anything else are forgotten. */
  marks: Map<ContainerId, Mark>;
  /** Seen for the first time. */
  fresh: ContainerId[];
  /** Their grace is over. */
  due: ContainerId[];
}

/** Who has been without a place for how long. `release`: the operator's word for all that are orphans now. */
export function sortOrphans(seen: {
  listed: readonly ContainerId[];
  placed: ReadonlySet<ContainerId>;
  marks: ReadonlyMap<ContainerId, Mark>;
  release: boolean;
  graceMs: number;
  now: number;
}): Orphans {
  const { listed, placed, release, graceMs, now } = seen;
  const orphans: Orphans = { marks: new Map(), fresh: [], due: [] };
  for (const container of listed) {
    if (placed.has(container)) continue;
    const known = seen.marks.get(container);
    const { since, held, released } = known ?? { since: now, held: false, released: false };
    orphans.marks.set(container, { since, held: held && !release, released: released || release });
    if (known === undefined) orphans.fresh.push(container);
    else if (now - since >= graceMs) orphans.due.push(container);
  }
  return orphans;
}

export type ReconcileAction =
  /** The store decides; what it refuses has lost its conversation and is ended. */
  | { kind: 'adopt'; container: ContainerId }
  /** Nothing is done about it without an operator's word. */
  | { kind: 'hold'; container: ContainerId }
  | { kind: 'destroy'; container: ContainerId }
  /** Its turn comes at the next look. */
  | { kind: 'wait'; container: ContainerId };

export interface ReconcilePlan {
  actions: ReconcileAction[];
  /** More orphans with valid tickets than can be explained by a crash or two. */
  tripped: boolean;
}

/** Containers that show no ticket are ended this many a look, so that a mistake does not take all at once. */
export const DESTROYED_A_LOOK = 10;

const BREAKER_LEAST = 5;
const BREAKER_SHARE = 0.3;

export interface DueOrphan {
  container: ContainerId;
  /** What its ticket is worth; `contested`: its conversation has another container by now. */
  ticket: 'valid' | 'contested' | 'none';
  mark: Mark;
}

/**
 * What to do about orphans whose grace is over. Behind an open breaker one whose conversation has nobody else is still
 * adopted, which harms nobody; where one of two would have to go, nothing is done.
 */
export function planReconcile(due: readonly DueOrphan[], listed: number): ReconcilePlan {
  const sudden = due.filter(({ ticket, mark }) => ticket !== 'none' && !mark.released).length;
  const tripped = sudden > Math.max(BREAKER_LEAST, listed * BREAKER_SHARE);
  let destroyed = 0;
  const actions = due.map(({ container, ticket, mark }): ReconcileAction => {
    if (ticket === 'valid') return { kind: 'adopt', container };
    if (ticket === 'contested') {
      const held = !mark.released && (tripped || mark.held);
      return { kind: held ? 'hold' : 'adopt', container };
    }
    if (mark.held) return { kind: 'hold', container };
    destroyed += 1;
    return { kind: destroyed <= DESTROYED_A_LOOK ? 'destroy' : 'wait', container };
  });
  return { actions, tripped };
}

/** While some wait for their turn, the next look comes soon: a hundred are gone within 90 s of their mark. */
const NEXT_TURN_MS = 2000;

/** Milliseconds until there is something to do about the marks; what failed waits for the next regular look. */
export function nextLook(
  marks: ReadonlyMap<ContainerId, Mark>,
  actions: readonly ReconcileAction[],
  graceMs: number,
  now: number,
): number | undefined {
  const graces = [...marks.values()].map(({ since }) => since + graceMs - now).filter((left) => left > 0);
  const turns = actions.some(({ kind }) => kind === 'wait') ? [NEXT_TURN_MS] : [];
  return [...graces, ...turns].toSorted((one, other) => one - other).at(0);
}
