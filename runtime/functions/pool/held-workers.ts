import type { ContainerId } from '../../contracts/ids.ts';
import type { HeldWorker, WorkerOf } from '../../state/worker-store.ts';

/** A worker that this instance provisions, uses or ends. */
export interface Held extends WorkerOf {
  state: HeldWorker['state'];
  lease: string;
  /** By `performance.now()`: no longer, whatever happens. */
  until: number;
}

/** What this instance holds, to tell the store about: a lease from before it is asked for, a worker once it is known. */
export class HeldWorkers {
  /** Leases that may hold something that is not known yet. */
  readonly #asking = new Set<string>();
  readonly #held = new Map<ContainerId, Held>();

  async asking<Answer>(lease: string, ask: () => Promise<Answer>): Promise<Answer> {
    this.#asking.add(lease);
    try {
      return await ask();
    } finally {
      this.#asking.delete(lease);
    }
  }

  hold(held: Held): void {
    this.#held.set(held.worker, held);
  }

  /** It is being ended, under the lease it had. */
  ends(worker: ContainerId, seconds: number): void {
    const held = this.#held.get(worker);
    if (held === undefined) return;
    this.hold({ ...held, state: 'terminating', until: performance.now() + seconds * 1000 });
  }

  /** The store holds nothing of it for us any more, or will find out that nobody does. False: it was not held so. */
  drop(worker: ContainerId, lease = this.#held.get(worker)?.lease): boolean {
    return this.#held.get(worker)?.lease === lease && this.#held.delete(worker);
  }

  /** Under that very lease, whose time is not over. */
  isHeld(worker: ContainerId, lease: string, now: number): boolean {
    const held = this.#held.get(worker);
    return held?.lease === lease && held.until > now;
  }

  leases(): string[] {
    return [...this.#asking, ...new Set(this.all().map(({ lease }) => lease))];
  }

  all(): Held[] {
    return [...this.#held.values()];
  }

  /** As the store wants to hear it. */
  toBeat(now: number): HeldWorker[] {
    return this.all().map(({ until, ...held }) => ({ ...held, seconds: Math.max(0, (until - now) / 1000) }));
  }
}
