import type { Instant } from '../../contracts/conversation-record.ts';
import type { LeaseStore } from '../lease-store.ts';
import { ms } from './memory-records.ts';
import type { MemoryState } from './memory-state.ts';

/** Leases in this process. */
export class MemoryLeaseStore implements LeaseStore {
  readonly #state: MemoryState;
  readonly #clock: { now(): Instant };

  constructor(state: MemoryState, clock: { now(): Instant }) {
    this.#state = state;
    this.#clock = clock;
  }

  async hold(name: string, owner: string, seconds: number): Promise<boolean> {
    const now = this.#clock.now();
    const held = this.#state.leases.get(name);
    if (held && held.owner !== owner && held.until > now) return false;
    const already = held?.owner === owner ? held.until : 0;
    this.#state.leases.set(name, { owner, until: Math.max(already, now + ms(seconds)) });
    return true;
  }

  async letGo(name: string, owner: string): Promise<void> {
    if (this.#state.leases.get(name)?.owner === owner) this.#state.leases.delete(name);
  }
}
