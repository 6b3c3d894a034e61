import type { Endpoint } from '../containers/container-backend.ts';
import type { ContainerId } from '../contracts/ids.ts';

/** So long a proof counts: before another has the address and runs, its container must have ended. */
const GOOD_MS = 1_000;
const MOST_REMEMBERED = 10_000;

/** Throws unless it is this container that has the address. */
export type Prove = (container: ContainerId, host: string) => Promise<void>;

interface Proof {
  at: number;
  done: Promise<boolean>;
}

/** Whether an address still is a container's: it may have passed on to another's, which is to be told nothing. */
export class ProvenAddresses {
  readonly #prove: Prove;
  readonly #proofs = new Map<string, Proof>();

  constructor(prove: Prove) {
    this.#prove = prove;
  }

  /** A socket is nobody else's. Asked of one at a time, however many come, and not again for a while. */
  async isTheirs(container: ContainerId, incarnation: string, endpoint: Endpoint): Promise<boolean> {
    if (endpoint.kind === 'socket') return true;
    const known = this.#proofs.get(incarnation);
    if (known !== undefined && performance.now() - known.at < GOOD_MS) return known.done;
    if (this.#proofs.size >= MOST_REMEMBERED) this.#proofs.clear();
    const done = this.#prove(container, endpoint.host).then(
      () => true,
      () => false,
    );
    this.#proofs.set(incarnation, { at: performance.now(), done });
    const proved = await done;
    if (!proved) this.#proofs.delete(incarnation); // it may be about to answer
    return proved;
  }
}
