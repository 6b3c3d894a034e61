import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { ContainerId } from '../../contracts/ids.ts';
import type { Checkpoint } from '../../lifecycle/checkpoint.ts';
import type { WorkerOf, WorkerStore } from '../../state/worker-store.ts';
import type { HeldWorkers } from './held-workers.ts';
import type { WorkerCreation } from './worker-creation.ts';

/** After that another may end it. */
export const ENDING_SECONDS = 60;

interface Parts {
  store: WorkerStore;
  creation: WorkerCreation;
  held: HeldWorkers;
  instance: string;
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

  /**
   * Ends one that nobody knows; false: somebody does. The store hears of it first, as this instance's to end, so that
   * nobody can take it in meanwhile, however long that is.
   */
  async endUnknown(worker: WorkerOf): Promise<boolean> {
    const { store, held, instance } = this.#parts;
    const lease = randomUUID();
    const ending = { ...worker, lease, state: 'terminating' } as const;
    const isOurs = await held.asking(lease, async () => {
      const { lost } = await store.beat(instance, [{ ...ending, seconds: ENDING_SECONDS }]);
      if (lost.includes(worker.worker)) return false;
      held.hold({ ...ending, until: performance.now() + ENDING_SECONDS * 1000 });
      return true;
    });
    if (isOurs) await this.end(worker.worker);
    return isOurs;
  }
}
