import type { Logger } from 'pino';
import type { ContainerId } from '../contracts/ids.ts';
import type { Checkpoint } from '../lifecycle/checkpoint.ts';
import type { WorkerStore } from '../state/worker-store.ts';
import type { HeldWorkers } from './held-workers.ts';
import type { WorkerCreation } from './worker-creation.ts';

/** After that another may end it. */
export const ENDING_SECONDS = 60;

interface Parts {
  store: WorkerStore;
  creation: WorkerCreation;
  held: HeldWorkers;
  /** Connections to it are of no use any more. */
  forget: (worker: ContainerId) => void;
  checkpoint: Checkpoint;
  log: Logger;
}

/** Ends workers that are `terminating`, and gives their places back. */
export class WorkerEnding {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Never throws: one that could not be ended keeps its place, and the janitor's next turn tries again. */
  async end(worker: ContainerId): Promise<void> {
    const { store, creation, held, forget, checkpoint, log } = this.#parts;
    held.ends(worker, ENDING_SECONDS);
    forget(worker);
    try {
      await checkpoint('worker.ending');
      await creation.end(worker);
      await checkpoint('worker.destroyed');
      await store.gone(worker);
    } catch (error) {
      log.warn({ err: error, container_id: worker }, 'a worker could not be ended yet');
    } finally {
      held.drop(worker);
    }
  }
}
