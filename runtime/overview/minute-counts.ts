import { type History, OUTCOMES, type Outcome } from './overview.ts';

const MINUTE_MS = 60_000;
const MINUTES = 60;
/** Tenants that are told apart within a minute; all that come after them count as one more. */
const TENANTS = 1_000;
const OTHERS = '';

type Counts = Record<Outcome, number>;

/** How the executions of the last hour ended, by minute and tenant. */
export class MinuteCounts {
  readonly #minutes = new Map<number, Map<string, Counts>>();

  add(tenant: string, outcome: Outcome, now: number): void {
    const minute = Math.floor(now / MINUTE_MS);
    const ofMinute = this.#minutes.get(minute) ?? new Map<string, Counts>();
    this.#minutes.set(minute, ofMinute);
    const name = ofMinute.has(tenant) || ofMinute.size < TENANTS ? tenant : OTHERS;
    const counts = ofMinute.get(name) ?? none();
    counts[outcome] += 1;
    ofMinute.set(name, counts);
    for (const old of this.#minutes.keys()) if (old <= minute - MINUTES) this.#minutes.delete(old);
  }

  /** Of one tenant, or of all. */
  read(tenant: string | undefined, now: number): History & Record<Outcome, number[]> {
    const first = Math.floor(now / MINUTE_MS) - MINUTES + 1;
    const minutes = Array.from({ length: MINUTES }, (_, at) => this.#sum(first + at, tenant));
    const column = (outcome: Outcome) => minutes.map((counts) => counts[outcome]);
    return {
      since: new Date(first * MINUTE_MS).toISOString(),
      step_seconds: MINUTE_MS / 1000,
      completed: column('completed'),
      failed: column('failed'),
      cancelled: column('cancelled'),
      lost: column('lost'),
    };
  }

  #sum(minute: number, tenant: string | undefined): Counts {
    const ofMinute = this.#minutes.get(minute);
    if (ofMinute === undefined) return none();
    if (tenant !== undefined) return ofMinute.get(tenant) ?? none();
    const sum = none();
    for (const counts of ofMinute.values()) for (const outcome of OUTCOMES) sum[outcome] += counts[outcome];
    return sum;
  }
}

function none(): Counts {
  return { completed: 0, failed: 0, cancelled: 0, lost: 0 };
}
