import {
  EGRESS_DURATION_BUCKETS,
  type EgressMethod,
  type EgressOutcome,
  type EgressRefusal,
  type EgressStats,
} from '../../contracts/egress.ts';

/** What one gate has refused and passed, and how long that took. */
export class Counters {
  readonly #stats: EgressStats = { refused: {}, passed: {}, durations: {} };

  refused(reason: EgressRefusal): void {
    this.#stats.refused[reason] = (this.#stats.refused[reason] ?? 0) + 1;
  }

  passed(outcome: EgressOutcome): void {
    this.#stats.passed[outcome] = (this.#stats.passed[outcome] ?? 0) + 1;
  }

  took(method: EgressMethod, seconds: number): void {
    let entry = this.#stats.durations[method];
    if (!entry) {
      entry = { count: 0, seconds: 0, buckets: new Array(EGRESS_DURATION_BUCKETS.length + 1).fill(0) };
      this.#stats.durations[method] = entry;
    }
    entry.count += 1;
    entry.seconds += seconds;
    const within = EGRESS_DURATION_BUCKETS.findIndex((bound) => seconds <= bound);
    const bucket = within < 0 ? EGRESS_DURATION_BUCKETS.length : within;
    entry.buckets[bucket] = (entry.buckets[bucket] ?? 0) + 1;
  }

  /** A copy. */
  read(): EgressStats {
    return structuredClone(this.#stats);
  }
}
