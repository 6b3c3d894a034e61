import type { Instant } from '../contracts/conversation-record.ts';
import type { ContainerId } from '../contracts/ids.ts';
import type { Fenced } from './conversation-store.ts';

/**
 * The warm pool: containers that belong to nobody yet. `ConversationStore.acquire` takes the oldest. A place is
 * reserved under the container's id before it is created, so that instances which refill at once don't overshoot.
 */
export interface WarmPoolStore {
  look(): Promise<PoolView>;

  /** Holds for every instance, from its next look. */
  configure(sizes: PoolSizes): Promise<void>;

  /**
   * A place for a container to come. `full`: with it warm + starting would be more than `most`. `no-room`: all
   * containers would be more than `maxContainers`. Repeating the call is `reserved` again.
   */
  reserve(
    request: MemberRequest & { most: number; maxContainers: number },
  ): Promise<'reserved' | 'full' | 'no-room'>;

  /** Keeps a place the caller's while it creates. */
  renew(request: MemberRequest): Promise<Fenced>;

  /** The container is there and well: from its reserved place into the pool, at the end. `stale`: its lease lapsed. */
  add(request: { container: ContainerId; owner: string; image: string; manager: string }): Promise<Fenced>;

  /** Out of the pool; its place is reserved until `release`, due in `stopSeconds`. `stale`: it was claimed, or is gone. */
  remove(request: { container: ContainerId; stopSeconds: number }): Promise<Fenced>;
}

export interface PoolSizes {
  min: number;
  max: number;
}

export interface PoolView {
  /** The oldest first. */
  members: WarmMember[];
  /** Places reserved for members whose lease has not lapsed. */
  starting: number;
  /** What an operator set; none = the variables' values. */
  sizes: PoolSizes | undefined;
  /** How often a conversation has wanted a container so far, warm or not: only grows, unless the store is emptied. */
  demand: number;
  /** Containers of all kinds that count against the maximum. */
  used: number;
  now: Instant;
}

export interface WarmMember {
  container: ContainerId;
  image: string;
  manager: string;
  createdAt: Instant;
}

export interface MemberRequest {
  container: ContainerId;
  owner: string;
  leaseSeconds: number;
}
