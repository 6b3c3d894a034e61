/** Bounds that hold for every adapter of the state. */

/** Lapsed work can be taken up again by who still does it, for this long; then it is forgotten. Prelude.lua has it too. */
export const LAPSED_WORK_KEPT_MS = 600_000;

/** The work of an execution outlives its deadline by this long, for its end to be written. */
export const EXECUTION_GRACE_MS = 60_000;

/** How long after its end an execution is known, and its log. execution-rules.lua has them, too. */
export const EXECUTION_KEPT_MS = 86_400_000;
export const LOG_KEPT_MS = 3_600_000;

const IDS_TO_LOOK_AT = 1_000;

/** How many conversations one page may look at: with a rare status it may be short, with more to follow. */
export function idsToLookAt(limit: number): number {
  return Math.max(limit, IDS_TO_LOOK_AT);
}
