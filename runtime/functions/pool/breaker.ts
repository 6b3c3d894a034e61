const FAILURES = 5;
const WITHIN_MS = 30_000;
const OPEN_MS = 30_000;

/** Whether a call may be made. Whoever was let through says how it went, once. */
export type Verdict = { kind: 'pass'; pass: Pass } | { kind: 'open'; retryAfterSeconds: number };

export interface Pass {
  succeeded(): void;
  failed(now: number): void;
  /** It says nothing about the function: the caller went away, or there was no worker. */
  nothing(): void;
}

/**
 * Leaves a function alone that fails: five failures within 30 s open it, and it stays open for 30 s. Then one call is
 * let through as a trial, which closes it or opens it anew. Times are milliseconds of a clock that only goes forward.
 */
export class Breaker {
  #failures: number[] = [];
  #openSince: number | undefined;
  #trial = false;

  ask(now: number): Verdict {
    if (this.#openSince === undefined) return { kind: 'pass', pass: this.#pass(false) };
    const leftMs = this.#openSince + OPEN_MS - now;
    if (leftMs > 0 || this.#trial)
      return { kind: 'open', retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1000)) };
    this.#trial = true;
    return { kind: 'pass', pass: this.#pass(true) };
  }

  isOpen(now: number): boolean {
    return this.#openSince !== undefined && this.#openSince + OPEN_MS > now;
  }

  /** Nothing is remembered that could matter. */
  isQuiet(now: number): boolean {
    return this.#openSince === undefined && this.#recent(now).length === 0;
  }

  #pass(trial: boolean): Pass {
    let told = false;
    const once = (tell: () => void) => {
      if (told) return;
      told = true;
      if (trial) this.#trial = false;
      tell();
    };
    return {
      succeeded: () =>
        once(() => {
          // One that was under way when it opened proves nothing about what came after.
          if (trial) this.#openSince = undefined;
          if (this.#openSince === undefined) this.#failures = [];
        }),
      failed: (now) =>
        once(() => {
          this.#failures = [...this.#recent(now), now];
          if (trial || this.#failures.length >= FAILURES) this.#openSince = now;
        }),
      nothing: () => once(() => {}),
    };
  }

  #recent(now: number): number[] {
    return this.#failures.filter((at) => at > now - WITHIN_MS);
  }
}
