import type { BerthError } from '../../contracts/errors.ts';

interface Waiter<Got> {
  give(got: Got): void;
  refuse(error: unknown): void;
}

/** Who waits for a worker: first come, first served. */
export class WaitingLine<Got> {
  readonly #waiters = new Set<Waiter<Got>>();

  get length(): number {
    return this.#waiters.size;
  }

  /** Resolves when it is one's turn. Throws what `late` makes once the time is over, or the reason of the signal. */
  async wait(seconds: number, signal: AbortSignal, late: () => BerthError): Promise<Got> {
    const { promise, resolve, reject } = Promise.withResolvers<Got>();
    const waiter: Waiter<Got> = { give: resolve, refuse: reject };
    this.#waiters.add(waiter);
    const leave = (error: unknown) => {
      this.#waiters.delete(waiter);
      reject(error);
    };
    const timer = setTimeout(() => leave(late()), seconds * 1000);
    const onAbort = () => leave(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** To the first who waits. False: nobody does, and it is still the caller's. */
  give(got: Got): boolean {
    return this.#first((waiter) => waiter.give(got));
  }

  /** The first who waits is told why it gets none. */
  refuseFirst(error: unknown): boolean {
    return this.#first((waiter) => waiter.refuse(error));
  }

  refuseAll(error: unknown): void {
    while (this.refuseFirst(error));
  }

  #first(tell: (waiter: Waiter<Got>) => void): boolean {
    const [waiter] = this.#waiters;
    if (waiter === undefined) return false;
    this.#waiters.delete(waiter);
    tell(waiter);
    return true;
  }
}
