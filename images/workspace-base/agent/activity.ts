import { decideExit, type ExitLimits, type Liveness } from './exit-rule.ts';

/** Timers hold at most this many milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Counts authenticated calls, and says when there have been none for too long. */
export class Activity {
  readonly #seen: Liveness;

  constructor() {
    const now = performance.now();
    this.#seen = { startedAt: now, lastCallAt: now, callsInFlight: 0 };
  }

  begin(): void {
    this.#seen.callsInFlight += 1;
  }

  end(): void {
    this.#seen.callsInFlight -= 1;
    this.#seen.lastCallAt = performance.now();
  }

  /** Calls `exit` once, when a limit has passed. */
  watch(limits: ExitLimits, exit: (reason: 'lifetime' | 'idle') => void): void {
    const decision = decideExit(this.#seen, limits, performance.now());
    if ('exit' in decision) {
      exit(decision.exit);
      return;
    }
    // A timer may fire a fraction early; the next look then waits for what is left.
    const wait = Math.min(Math.ceil(decision.lookAgainInMs), LONGEST_TIMER_MS);
    setTimeout(() => this.watch(limits, exit), wait);
  }
}
