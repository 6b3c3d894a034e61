import type { ContainerId } from '../contracts/ids.ts';

/** The task that is a container, on backends that have names and addresses of their own for them. */
export interface TaskPlace {
  arn: string;
  /** Once it has one. */
  address?: string;
}

/**
 * Which task a container is: what all instances read instead of asking the backend. Any of it may be gone at any time;
 * the backend's own list has it too.
 */
export interface TaskStore {
  get(container: ContainerId): Promise<TaskPlace | undefined>;
  put(container: ContainerId, place: TaskPlace): Promise<void>;
  forget(container: ContainerId): Promise<void>;
}
