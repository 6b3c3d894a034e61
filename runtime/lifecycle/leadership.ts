interface Lease {
  hold(name: string, owner: string, seconds: number): Promise<boolean>;
  letGo(name: string, owner: string): Promise<void>;
}

/** Longest that nobody leads after a leader has gone: this, and one look of another. */
const LEASE_SECONDS = 9;
/** How often it must be held. */
export const LEADER_LOOK_SECONDS = 3;

/**
 * Which of the instances does what one of them should do. It only saves work: everything done under it is fenced by
 * itself, since a leader that was paused does not know that it leads no more.
 */
export class Leadership {
  readonly #lease: Lease;
  readonly #name: string;
  readonly #owner: string;
  #leads = false;

  constructor({ lease, name, owner }: { lease: Lease; name: string; owner: string }) {
    this.#lease = lease;
    this.#name = name;
    this.#owner = owner;
  }

  get leads(): boolean {
    return this.#leads;
  }

  /** Takes or keeps it. Resolves with whether it has just been taken. */
  async hold(): Promise<boolean> {
    const before = this.#leads;
    try {
      this.#leads = await this.#lease.hold(this.#name, this.#owner, LEASE_SECONDS);
    } catch (error) {
      this.#leads = false;
      throw error;
    }
    return this.#leads && !before;
  }

  async letGo(): Promise<void> {
    this.#leads = false;
    await this.#lease.letGo(this.#name, this.#owner);
  }
}
