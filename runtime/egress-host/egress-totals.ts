import type { EgressMethod, EgressOutcome, EgressRefusal, EgressStats } from '../contracts/egress.ts';

interface Seconds {
  count: number;
  seconds: number;
  buckets: number[];
}

/** What all proxies did, of containers that are gone too: sums that only grow. */
export class EgressTotals {
  readonly refused = new Map<EgressRefusal, number>();
  readonly passed = new Map<EgressOutcome, number>();
  readonly durations = new Map<EgressMethod, Seconds>();
  restarts = 0;
  /** Of counters that all instances can read, one instance has the sums. */
  counts = true;
  readonly #last = new Map<string, EgressStats>();

  /** A container's counters as they are now, at one proxy. */
  take(container: string, stats: EgressStats): void {
    const before = this.#last.get(container);
    this.#last.set(container, stats);
    for (const [reason, count] of entriesOf(stats.refused))
      add(this.refused, reason, grown(count, before?.refused[reason]));
    for (const [outcome, count] of entriesOf(stats.passed))
      add(this.passed, outcome, grown(count, before?.passed[outcome]));
    for (const [method, spent] of entriesOf(stats.durations))
      this.#spend(method, spent, before?.durations[method]);
  }

  /** Its counters so far, which others have counted. */
  begin(container: string, stats: EgressStats): void {
    this.#last.set(container, stats);
  }

  /** Its last ones, if it could still be asked. What was never seen here is counted only by who counts. */
  end(container: string, last: EgressStats | null): void {
    if (last !== null && (this.counts || this.#last.has(container))) this.take(container, last);
    this.#last.delete(container);
  }

  /** The proxy on this machine counts from zero again. */
  restart(): void {
    this.restarts += 1;
    for (const name of this.#last.keys()) if (!name.includes(' ')) this.#last.delete(name);
  }

  #spend(method: EgressMethod, now: Seconds, last: Seconds | undefined): void {
    const before = last !== undefined && last.count <= now.count ? last : undefined;
    const total = this.durations.get(method) ?? { count: 0, seconds: 0, buckets: now.buckets.map(() => 0) };
    this.durations.set(method, {
      count: total.count + now.count - (before?.count ?? 0),
      seconds: total.seconds + now.seconds - (before?.seconds ?? 0),
      buckets: now.buckets.map((count, at) => (total.buckets[at] ?? 0) + count - (before?.buckets[at] ?? 0)),
    });
  }
}

/** A count that fell was begun anew. */
function grown(now: number, before = 0): number {
  return now < before ? now : now - before;
}

function add<Name>(totals: Map<Name, number>, name: Name, more: number): void {
  totals.set(name, (totals.get(name) ?? 0) + more);
}

function entriesOf<Name extends string, Value>(record: Partial<Record<Name, Value>>): [Name, Value][] {
  // The cast: `Object.entries` forgets the names of the keys; none is there without a value.
  return Object.entries(record) as [Name, Value][];
}
