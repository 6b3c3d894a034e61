/** Times are milliseconds of one monotonic clock. */
export interface Liveness {
  startedAt: number;
  /** When the last authenticated call ended; the start when there was none. */
  lastCallAt: number;
  callsInFlight: number;
}

export interface ExitLimits {
  lifetimeMs: number;
  idleMs: number;
}

type ExitDecision = { exit: 'lifetime' | 'idle' } | { lookAgainInMs: number };

/** Whether the agent should end by itself, so that nothing outlives a lost control plane. */
export function decideExit(seen: Liveness, limits: ExitLimits, now: number): ExitDecision {
  const lifetimeLeft = seen.startedAt + limits.lifetimeMs - now;
  if (lifetimeLeft <= 0) return { exit: 'lifetime' };
  const idleSince = seen.callsInFlight > 0 ? now : seen.lastCallAt;
  const idleLeft = idleSince + limits.idleMs - now;
  if (idleLeft <= 0) return { exit: 'idle' };
  return { lookAgainInMs: Math.min(lifetimeLeft, idleLeft) };
}
