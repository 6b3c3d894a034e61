import type { Instant } from '../contracts/conversation-record.ts';
import { BerthError } from '../contracts/errors.ts';
import type { ContainerId, ConversationId, ExecutionId, TenantId } from '../contracts/ids.ts';
import type { Fenced, Lifetimes } from './conversation-store.ts';

/**
 * The store lost, or may have lost, what it knew: it was emptied, restarted, or another server took over with older
 * data. Until adoption has rebuilt it from the containers themselves, it refuses what could make a second container.
 */
export class AdoptionNeeded extends BerthError {
  constructor() {
    super('STORE_UNAVAILABLE', 'Redis lost what it knew; it is being rebuilt from the containers', {
      retry_after: 1,
    });
    this.name = 'AdoptionNeeded';
  }
}

export interface AdoptionStore {
  /** Names the server's present life while adoption is needed; undefined when it is not. */
  needed(): Promise<string | undefined>;

  /**
   * Every warm member's place becomes reserved and due: after a loss nobody knows which were claimed. One that `adopt`
   * is called for, before or after this, was claimed.
   */
  discardWarm(): Promise<void>;

  /**
   * A record for a container that carries a valid ticket: `running` with its executions (until the deadline given,
   * with nobody's relay), else `idle`. Of two containers for one conversation the later claim wins; the other one's
   * place becomes reserved and due. `stale`: it lost, or it is being stopped (it has a reserved place,
   * no record, and is not the pool's).
   * Bound to it already: `done`; a `preparing` record becomes live, for a container with a ticket is a whole one.
   */
  adopt(request: AdoptRequest): Promise<Fenced>;

  /** A reserved place, due now, for each that has no place: it counts, and is ended, until the backend says it is absent. */
  reserveUnknown(containers: ContainerId[]): Promise<void>;

  /** Adoption is over, for this life of the server. `stale`: the server changed meanwhile. */
  complete(life: string): Promise<Fenced>;
}

export interface AdoptRequest {
  tenant: TenantId;
  conversation: ConversationId;
  container: ContainerId;
  manager: string;
  createdAt: Instant;
  claimedAt: Instant;
  savedVersion: string | null;
  /** What the agent says runs now. */
  executions: ExecutionId[];
  /** What is left to each at most, from now. */
  executionSeconds: number;
  ttl: Lifetimes;
}
