/** What one look at a container found. */
export type HealthSeen =
  | 'well'
  /** No answer, or a refusal: a busy machine has such moments. */
  | 'unanswered'
  /** It answers, but by the backend's word not all of it runs: so it is for a moment after its start. */
  | 'not-running'
  /** Whoever answers does not know the container's token, or breaks the protocol. */
  | 'impostor'
  /** It carries a ticket that is not its record's. */
  | 'foreign-ticket'
  /** By the backend's own word. */
  | 'exited'
  | 'absent';

export type UnhealthyReason = Exclude<HealthSeen, 'well'>;

export interface HealthVerdict {
  /** In a row, this one among them. */
  failures: number;
  unhealthy: UnhealthyReason | undefined;
}

const FAILURES_IN_A_ROW = 3;

const FORGIVEN: ReadonlySet<HealthSeen> = new Set(['unanswered', 'not-running']);

/** Silence is forgiven twice, and so is a start that is not over; what can't be an accident is not. */
export function planHealth(seen: HealthSeen, failuresBefore: number): HealthVerdict {
  if (seen === 'well') return { failures: 0, unhealthy: undefined };
  const failures = failuresBefore + 1;
  const forgiven = FORGIVEN.has(seen) && failures < FAILURES_IN_A_ROW;
  return { failures, unhealthy: forgiven ? undefined : seen };
}
