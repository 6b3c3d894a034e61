import { createHash, timingSafeEqual } from 'node:crypto';
import type { EgressState, EgressStats } from '../contracts/egress.ts';
import { type EgressLog, Gate } from './gate.ts';
import { stateHash } from './state-hash.ts';

interface Served {
  gate: Gate;
  /** SHA-256 of the container's credential. */
  hash: Buffer;
}

/** The containers of a shared proxy, each with rules of its own and known by its credential. */
export class ServedContainers {
  readonly #log: EgressLog;
  readonly #served = new Map<string, Served>();

  constructor(log: EgressLog) {
    this.#log = log;
  }

  /** Adds a container or replaces its rules; throws on bad ones, and then nothing has changed. */
  put(container: string, hash: Buffer, state: EgressState): void {
    const gate = this.#served.get(container)?.gate ?? new Gate(container, this.#log);
    gate.replace(state);
    this.#served.set(container, { gate, hash });
  }

  /** Ends its connections and gives the last of its counters; undefined where it is not known. */
  remove(container: string): EgressStats | undefined {
    const served = this.#served.get(container);
    if (served === undefined) return undefined;
    this.#served.delete(container);
    served.gate.close();
    return served.gate.stats();
  }

  /** The gate that this credential opens. It takes as long for a wrong credential as for a right one. */
  find(container: string, credential: string): Gate | undefined {
    const hash = createHash('sha256').update(credential).digest();
    const served = this.#served.get(container);
    return served !== undefined && timingSafeEqual(hash, served.hash) ? served.gate : undefined;
  }

  stats(): Record<string, EgressStats> {
    return Object.fromEntries([...this.#served].map(([container, { gate }]) => [container, gate.stats()]));
  }

  /** What its admin side tells of each: its counters, and which rules it has. */
  looks(): Record<string, EgressStats & { state_sha256: string }> {
    const look = (gate: Gate) => ({ ...gate.stats(), state_sha256: stateHash(gate.state) });
    return Object.fromEntries([...this.#served].map(([container, { gate }]) => [container, look(gate)]));
  }

  close(): void {
    for (const { gate } of this.#served.values()) gate.close();
  }
}
