import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { isBerthError } from '../../contracts/errors.ts';
import type { ContainerId } from '../../contracts/ids.ts';
import type { WorkerStore } from '../../state/worker-store.ts';
import type { HeldWorkers } from './held-workers.ts';
import type { WorkerEnding } from './worker-ending.ts';

/** While the store is away, it is asked again so often. */
const AGAIN_MS = 500;

interface Parts {
  store: WorkerStore;
  held: HeldWorkers;
  ending: WorkerEnding;
  log: Logger;
  /** There may be a worker, or room for one. */
  onFree: () => void;
}

interface Lease {
  worker: ContainerId;
  lease: string;
}

/** Gives workers back that this instance holds: to whoever waits, or to their end. */
export class WorkerReturn {
  readonly #parts: Parts;
  readonly #closing = new AbortController();
  readonly #underWay = new Set<Promise<void>>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get isQuiet(): boolean {
    return this.#underWay.size === 0;
  }

  /** `revision` is what the function has by then. Again, or of one that was evicted: nothing happens. */
  async release({ worker, lease }: Lease, revision: () => string): Promise<void> {
    await this.#tell({ worker, lease }, () => this.#parts.store.release(worker, lease, revision()));
    this.#parts.onFree();
  }

  /** It is not to be used any more, and ended. */
  async evict({ worker, lease }: Lease): Promise<void> {
    await this.#tell({ worker, lease }, () => this.#parts.store.evict(worker, lease));
  }

  /** One that is `terminating` already, and this instance's to end. */
  end(worker: ContainerId): void {
    this.#inBackground(this.#parts.ending.end(worker).then(() => this.#parts.onFree()));
  }

  /** What is being ended is; what the store does not hear of now it finds out by itself. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#underWay);
  }

  /** Resolves when the store has heard of it, or is away: then it hears of it later. */
  async #tell(leased: Lease, tell: () => Promise<Outcome>): Promise<void> {
    try {
      this.#after(leased, await tell());
    } catch (error) {
      if (isBerthError(error, 'STORE_UNAVAILABLE')) this.#inBackground(this.#tellLater(leased, tell));
      else this.#leave(leased, error);
    }
  }

  /** It stays held meanwhile, so that a store that has lost everything hears of it before that. */
  async #tellLater(leased: Lease, tell: () => Promise<Outcome>): Promise<void> {
    const { held } = this.#parts;
    try {
      while (held.isHeld(leased.worker, leased.lease, performance.now())) {
        await sleep(AGAIN_MS, undefined, { signal: this.#closing.signal, ref: false });
        const outcome = await tell().catch((error) => {
          if (!isBerthError(error, 'STORE_UNAVAILABLE')) throw error;
          return 'unheard' as const;
        });
        if (outcome === 'unheard') continue;
        this.#after(leased, outcome);
        this.#parts.onFree();
        return;
      }
    } catch (error) {
      this.#leave(leased, error);
    }
  }

  #after({ worker, lease }: Lease, outcome: Outcome): void {
    if (outcome === 'terminating' || outcome === 'done') this.end(worker);
    else this.#parts.held.drop(worker, lease);
  }

  /** The store does not hear of it: it ends with its lease, at the latest. */
  #leave({ worker, lease }: Lease, error: unknown): void {
    const { held, log } = this.#parts;
    held.drop(worker, lease);
    if (this.#closing.signal.aborted) return;
    log.warn({ err: error, container_id: worker }, 'a worker could not be given back; it is ended');
  }

  #inBackground(work: Promise<void>): void {
    this.#underWay.add(work);
    void work.finally(() => this.#underWay.delete(work));
  }
}

/** `terminating` of a release, `done` of an eviction: it is this instance's to end. */
type Outcome = 'idle' | 'terminating' | 'done' | 'stale';
