import { setTimeout as sleep } from 'node:timers/promises';

export interface Rate {
  burst: number;
  perSecond: number;
}

/** Lets calls through at a rate that an API allows: a burst at once, then one after the other. */
export class TokenBucket {
  readonly #rate: Rate;
  readonly #now: () => number;
  #tokens: number;
  #at: number;

  constructor(rate: Rate, now: () => number = () => performance.now()) {
    this.#rate = rate;
    this.#now = now;
    this.#tokens = rate.burst;
    this.#at = now();
  }

  /** How long whoever takes one now has to wait, in milliseconds. */
  take(): number {
    const now = this.#now();
    const { burst, perSecond } = this.#rate;
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#at) / 1000) * perSecond) - 1;
    this.#at = now;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / perSecond) * 1000;
  }

  async pass(signal?: AbortSignal): Promise<void> {
    const waitMs = this.take();
    if (waitMs > 0) await sleep(waitMs, undefined, signal === undefined ? {} : { signal });
  }
}
