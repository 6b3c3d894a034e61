import { BerthError } from '../contracts/errors.ts';
import type { ContainerId } from '../contracts/ids.ts';
import type { SettingsOwner } from '../state/egress-settings-store.ts';

/** The way out of a container. What is not let out here goes nowhere: containers have no network of their own. */
export interface ContainerEgress {
  /**
   * Opens it, with the rules of its conversation, or of nobody's yet; also for one that is open here or elsewhere:
   * it is this instance's then, with the rules as they are now. Throws `EGRESS_UNAVAILABLE`.
   */
  open(container: ContainerId, owner: SettingsOwner | undefined): Promise<void>;
  /**
   * One that is open with nobody's rules becomes this conversation's. Where that has no rules of its own nothing
   * changes, whichever instance it is open at.
   */
  claim(container: ContainerId, owner: SettingsOwner): Promise<void>;
  /** After the container is gone. Of one that has none: fine. */
  stop(container: ContainerId): Promise<void>;
  /** Throws unless the proxy beside this container answers at the address: another may have that by now. */
  prove(container: ContainerId, host: string): Promise<void>;
}

/** The proxy is a part of the container, and does not answer: so the container is of no use. */
export class WayOutLost extends BerthError {
  /** Something else answers in its place. */
  readonly isImpostor: boolean;

  constructor(container: ContainerId, cause: Error, isImpostor: boolean) {
    super('EGRESS_UNAVAILABLE', `the egress proxy of ${container}: ${cause.message}`, {}, cause);
    this.isImpostor = isImpostor;
  }
}

/** Lets nothing out. */
export const noEgress: ContainerEgress = {
  open: async () => {},
  claim: async () => {},
  stop: async () => {},
  prove: async () => {},
};
