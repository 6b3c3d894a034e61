import type { ContainerId } from '../../contracts/ids.ts';
import type { TaskPlace, TaskStore } from '../task-store.ts';

export class MemoryTaskStore implements TaskStore {
  readonly #tasks = new Map<ContainerId, TaskPlace>();

  async get(container: ContainerId): Promise<TaskPlace | undefined> {
    return this.#tasks.get(container);
  }

  async put(container: ContainerId, place: TaskPlace): Promise<void> {
    this.#tasks.set(container, place);
  }

  async forget(container: ContainerId): Promise<void> {
    this.#tasks.delete(container);
  }
}
