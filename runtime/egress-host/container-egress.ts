import type { ContainerId } from '../contracts/ids.ts';

/** The way out of a container. What is not let out here goes nowhere: containers have no network of their own. */
export interface ContainerEgress {
  /** For a container that has just been created. */
  start(container: ContainerId): Promise<void>;
  /** For one that this instance finds running: another instance, or an earlier run, started it. */
  adopt(container: ContainerId): Promise<void>;
  /** After the container is gone. Of one that has none: fine. */
  stop(container: ContainerId): Promise<void>;
}

/** Lets nothing out. */
export const noEgress: ContainerEgress = {
  start: async () => {},
  adopt: async () => {},
  stop: async () => {},
};
