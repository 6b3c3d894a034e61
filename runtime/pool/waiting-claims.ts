import { setTimeout as sleep } from 'node:timers/promises';

/** Other instances' members come without a word. */
const LOOK_MS = 500;

/**
 * Who waits for a container to be made and would rather take a member of the pool. One of them asks at a time, the
 * one that has waited longest, so that it costs the same however many there are.
 */
export class WaitingClaims {
  readonly #waiting: Claim[] = [];
  #asking = false;
  #nap = new AbortController();

  /** What `ask` gives first, or undefined once `made` has settled. Throws as `ask` does. */
  wait<Member>(ask: () => Promise<Member | undefined>, made: Promise<unknown>): Promise<Member | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Member | undefined>();
    let [over, inTurn] = [false, false];
    const claim: Claim = {
      async turn() {
        inTurn = true;
        const member = await ask().catch((error) => {
          over = true;
          reject(error);
          return undefined;
        });
        inTurn = false;
        over ||= member !== undefined;
        if (over) resolve(member);
        return over;
      },
    };
    const leave = () => {
      over = true;
      if (inTurn) return; // it may have got one yet
      this.#remove(claim);
      resolve(undefined);
    };
    made.then(leave, leave);
    this.#waiting.push(claim);
    if (!this.#asking) void this.#askInTurn();
    return promise;
  }

  /** A member came. */
  look(): void {
    this.#nap.abort();
  }

  async #askInTurn(): Promise<void> {
    this.#asking = true;
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      this.#nap = new AbortController();
      if (await first.turn()) this.#remove(first);
      else await sleep(LOOK_MS, undefined, { signal: this.#nap.signal }).catch(() => {});
    }
    this.#asking = false;
  }

  #remove(claim: Claim): void {
    const at = this.#waiting.indexOf(claim);
    if (at >= 0) this.#waiting.splice(at, 1);
  }
}

interface Claim {
  /** Whether it is over. */
  turn(): Promise<boolean>;
}
