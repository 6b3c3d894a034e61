import type { Fenced } from '../state/conversation-store.ts';

/**
 * Renews a lease three times in its length until disposed. When the record has moved on, whoever holds the
 * lease is told by `onLost` to stop. A store that doesn't answer is asked again at the next turn.
 */
export class LeaseRenewal implements Disposable {
  readonly #timer: NodeJS.Timeout;

  constructor(leaseSeconds: number, renew: () => Promise<Fenced>, onLost: () => void) {
    this.#timer = setInterval(
      () => {
        renew().then(
          (result) => {
            if (result === 'stale') onLost();
          },
          () => undefined,
        );
      },
      (leaseSeconds * 1000) / 3,
    );
    this.#timer.unref();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
