export interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

/** Lets a burst through, then so many a second of the time that it is told. */
export class TokenBucket {
  readonly #rate: Rate;
  #tokens: number;
  #filledAt: number | undefined;

  constructor(rate: Rate) {
    this.#rate = rate;
    this.#tokens = rate.burst;
  }

  /** True, and they are taken; or false, and none is. */
  take(now: number, count = 1): boolean {
    const passed = Math.max(0, now - (this.#filledAt ?? now)) / 1000;
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + passed * this.#rate.perSecond);
    this.#filledAt = now;
    if (this.#tokens < count) return false;
    this.#tokens -= count;
    return true;
  }
}
