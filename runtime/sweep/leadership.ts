import type { LeaseStore } from '../state/lease-store.ts';

const LEASE_SECONDS = 15;

/**
 * Whether this instance does a job that needs doing once. Once taken, the lease is renewed between the turns too, so
 * that instances don't take turns at a job that remembers what it saw. It only saves work.
 */
export class Leadership implements AsyncDisposable {
  readonly #leases: LeaseStore;
  readonly #name: string;
  readonly #owner: string;
  #timer: NodeJS.Timeout | undefined;

  constructor(leases: LeaseStore, name: string, owner: string) {
    this.#leases = leases;
    this.#name = name;
    this.#owner = owner;
  }

  /** Takes or keeps it; false while another instance leads. */
  async held(): Promise<boolean> {
    const held = await this.#leases.hold(this.#name, this.#owner, LEASE_SECONDS);
    if (held) this.#timer ??= setInterval(() => void this.#renew(), (LEASE_SECONDS * 1000) / 3).unref();
    else this.#pause();
    return held;
  }

  async resign(): Promise<void> {
    this.#pause();
    await this.#leases.letGo(this.#name, this.#owner);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // It lapses by itself: a store that is away must not hide how the work went.
    await this.resign().catch(() => undefined);
  }

  async #renew(): Promise<void> {
    // A store that doesn't answer is asked again at the next turn.
    const held = await this.#leases.hold(this.#name, this.#owner, LEASE_SECONDS).catch(() => true);
    if (!held) this.#pause();
  }

  #pause(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
