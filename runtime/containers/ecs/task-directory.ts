import type { ContainerId } from '../../contracts/ids.ts';
import type { TaskPlace, TaskStore } from '../../state/task-store.ts';
import { isApp } from './task-view.ts';

/** How long what this instance learnt counts although a list does not show it: lists lag behind. */
const BELIEVED_MS = 5 * 60_000;
/** How often it is written anew for the others: a store that was emptied has it again soon. */
const TOLD_MS = 5 * 60_000;

interface Entry extends TaskPlace {
  learntAt: number;
  toldAt: number;
}

/**
 * Which task a container is, and at which address: what this instance has seen, and what any instance told. The tasks
 * of an app come and go under one name, so of those only the last word of all counts.
 */
export class TaskDirectory {
  readonly #store: TaskStore;
  readonly #entries = new Map<ContainerId, Entry>();

  constructor(store: TaskStore) {
    this.#store = store;
  }

  /** Undefined: nobody has told. */
  async find(id: ContainerId): Promise<TaskPlace | undefined> {
    const known = isApp(id) ? undefined : this.#entries.get(id);
    if (known?.address !== undefined) return known;
    const told = await this.#store.get(id);
    if (told === undefined) return known;
    const now = performance.now();
    this.#entries.set(id, { ...told, learntAt: now, toldAt: now });
    return told;
  }

  /** For all instances to know. */
  async learn(id: ContainerId, place: TaskPlace): Promise<void> {
    const now = performance.now();
    const known = this.#entries.get(id);
    const isTold =
      !isApp(id) &&
      known?.arn === place.arn &&
      known.address === place.address &&
      now - known.toldAt < TOLD_MS;
    this.#entries.set(id, { ...place, learntAt: now, toldAt: isTold ? known.toldAt : now });
    if (!isTold) await this.#store.put(id, place);
  }

  /** All that a list showed; what is neither there nor new is let go of. */
  async learnAll(places: ReadonlyMap<ContainerId, TaskPlace>): Promise<void> {
    const before = performance.now() - BELIEVED_MS;
    for (const [id, { learntAt }] of this.#entries) {
      if (!places.has(id) && learntAt < before) this.#entries.delete(id);
    }
    const lasting = [...places].filter(([id]) => !isApp(id));
    await Promise.all(lasting.map(([id, place]) => this.learn(id, place)));
  }

  /** `arn`: only if it is that one. */
  async forget(id: ContainerId, arn?: string): Promise<void> {
    this.#entries.delete(id);
    if (arn !== undefined && isApp(id) && (await this.#store.get(id))?.arn !== arn) return;
    await this.#store.forget(id);
  }
}
