const MOST_SUBJECTS = 10_000;

/**
 * The last counter taken for each thing that is changed. Nothing is taken twice: what is not remembered any more,
 * or is of before the start, is below the floor.
 */
export class ReplayGuard {
  readonly #lasts = new Map<string, number>();
  #floor: number;

  constructor(floor: number) {
    this.#floor = floor;
  }

  /** Counters are times in µs: what was sealed before the start is old. */
  static fromNow(): ReplayGuard {
    return new ReplayGuard(Date.now() * 1000);
  }

  /** Undefined where the counter is taken; else the last one, which it has to be above. */
  take(subject: string, counter: number): number | undefined {
    const last = Math.max(this.#floor, this.#lasts.get(subject) ?? 0);
    if (counter <= last) return last;
    this.#lasts.delete(subject);
    this.#lasts.set(subject, counter);
    this.#forgetOldest();
    return undefined;
  }

  #forgetOldest(): void {
    if (this.#lasts.size <= MOST_SUBJECTS) return;
    for (const [subject, counter] of this.#lasts) {
      this.#lasts.delete(subject);
      this.#floor = Math.max(this.#floor, counter);
      return;
    }
  }
}
