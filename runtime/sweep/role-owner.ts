import type { ContainerView } from '../containers/container-backend.ts';
import type { ContainerId } from '../contracts/ids.ts';
import type { Role } from '../contracts/labels.ts';
import type { Fenced } from '../state/conversation-store.ts';
import type { Doubt } from './testimony.ts';

/** Whoever the containers of a role belong to, as the sweep asks it. */
export interface RoleOwner {
  readonly role: Role;

  /**
   * Which of these have a place; any other is nobody's. A store that lost what it knew is rebuilt first; where that
   * can't be done, or places can't be told, it throws.
   */
  placed(containers: ContainerId[]): Promise<ReadonlySet<ContainerId>>;

  /** What an orphan shows for itself. */
  ask(container: ContainerView): Promise<Standing>;

  /** Ends an orphan, unless it got a place meanwhile: then false. */
  destroyUnowned(container: ContainerId): Promise<boolean>;

  /** Tells of every record whose container is not in this list and that the backend does not have; resolves with how many. */
  findLost(listed: ReadonlyMap<ContainerId, ContainerView>): Promise<number>;
}

export type Standing =
  | {
      kind: 'valid';
      /** What it says it belongs to. */
      subject: string;
      /** Another container stands where it stood: one of the two would be ended if it came back. */
      contested: boolean;
      /** `stale`: it has lost to another, or is being stopped. */
      adopt(): Promise<Fenced>;
    }
  | { kind: 'none'; why: Doubt };
