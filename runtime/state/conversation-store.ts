import type {
  ConversationRecord,
  ConversationStatus,
  DrainReason,
  Instant,
} from '../contracts/conversation-record.ts';
import type { ContainerId, ConversationId, TenantId, WorkId } from '../contracts/ids.ts';

/**
 * The state of conversations. Each operation is one atomic step of the domain; every write names the
 * container it means (the incarnation) and is refused when the record has moved on; repeating a call
 * with the same arguments changes nothing. Times are the store's own. A store that can't be reached
 * throws `STORE_UNAVAILABLE` within 2 s.
 *
 * A container's place counts against `maxContainers` from `acquire` until `release`:
 * it is reserved (being created, or being stopped) or bound to a live record, never both.
 */
export interface ConversationStore {
  /** The store's clock, which decides about records. */
  now(): Promise<Instant>;

  /**
   * The live record, with `work` begun on it in the same step (as `beginWork` does); or a place and a
   * new record in `preparing`, for the caller to create and bind. One past its longest life takes no new
   * work: that is told as `draining`, whatever its status.
   */
  acquire(request: AcquireRequest): Promise<AcquireResult>;

  /** Keeps a preparation (reserved or bound) the caller's. */
  renewPreparation(request: PreparationRequest): Promise<Fenced>;

  /** The container exists: its place moves from the reserved to the live. Still `preparing`. */
  bind(request: PreparationRequest): Promise<Fenced>;

  /** Preparation is over: `preparing` → `ready`. */
  confirm(request: Incarnation & { owner: string; ttl: Lifetimes }): Promise<Fenced>;

  /** Enters work in flight under a lease: `ready` or `idle` → `running`. */
  beginWork(request: WorkRequest): Promise<BeginWorkResult>;

  /** Prolongs the lease. */
  renewWork(request: WorkRequest): Promise<Fenced>;

  /** Ends work. The last one out: `running` → `idle`, the idle time starts. */
  endWork(request: Incarnation & { work: WorkId; ttl: Lifetimes }): Promise<Fenced>;

  /** Work whose lease has not lapsed. */
  workInFlight(container: ContainerId): Promise<WorkId[]>;

  /**
   * No new work begins: → `draining`. With `onlyIdle`, refused as `busy` while work is in flight
   * or a preparation is under way. Draining already: `done`; of two reasons `deleted` stays. A `preparing` one is `busy`.
   * Whoever drains has `leaseSeconds` to remove it; after that it is due.
   */
  beginDrain(request: DrainRequest): Promise<Fenced | 'busy'>;

  /** Forgets the record. Its place stays reserved until `release`: the container may still run. */
  remove(request: Incarnation & { stopSeconds: number }): Promise<Fenced>;

  /** Frees a reserved place, once the backend says that the container is absent. */
  release(container: ContainerId): Promise<void>;

  get(tenant: TenantId, conversation: ConversationId): Promise<ConversationRecord | undefined>;

  /** The record that this container is bound to. */
  findByContainer(container: ContainerId): Promise<ConversationRecord | undefined>;

  /** In order of id. */
  list(tenant: TenantId, page: PageRequest): Promise<Page>;

  /** What needs a look: reserved places past their deadline, live records whose time to look has come. */
  due(limit: number): Promise<Due>;

  /** Containers counted against the maximum. */
  count(): Promise<{ reserved: number; live: number }>;

  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface Incarnation {
  tenant: TenantId;
  conversation: ConversationId;
  container: ContainerId;
}

/** Seconds. */
export interface Lifetimes {
  idleSeconds: number;
  maxLifetimeSeconds: number;
}

export interface AcquireRequest {
  tenant: TenantId;
  conversation: ConversationId;
  /** The id the container gets if one must be made. */
  newContainer: ContainerId;
  manager: string;
  owner: string;
  leaseSeconds: number;
  maxContainers: number;
  /** Begun when the record is live. */
  work: { id: WorkId; leaseSeconds: number; ttl: Lifetimes };
  /** Most conversations of this tenant with a container; none = no limit. */
  tenantLimit?: number;
}

export type AcquireResult =
  /** `running` now, with the work begun. */
  | { kind: 'live'; record: ConversationRecord }
  /** A place is reserved for `newContainer`; the caller prepares it. Repeating the call says so again. */
  | { kind: 'reserved'; record: ConversationRecord }
  /** Another caller prepares it. */
  | { kind: 'preparing'; record: ConversationRecord }
  | { kind: 'draining'; record: ConversationRecord }
  | { kind: 'no-room'; limit: number; used: number }
  | { kind: 'over-quota'; limit: number; used: number };

export interface PreparationRequest extends Incarnation {
  owner: string;
  leaseSeconds: number;
}

export interface WorkRequest extends Incarnation {
  work: WorkId;
  leaseSeconds: number;
  ttl: Lifetimes;
}

export interface DrainRequest extends Incarnation {
  onlyIdle: boolean;
  /** As the caller saw it: refused as `busy` when it was active later than that. */
  lastActiveAt?: Instant;
  reason: DrainReason;
  leaseSeconds: number;
}

/** `stale`: the record is gone, bound to another container, or no longer in a state that allows it. */
export type Fenced = 'done' | 'stale';

export type BeginWorkResult = 'done' | 'stale' | 'draining' | 'preparing';

export interface PageRequest {
  status?: ConversationStatus;
  limit: number;
  /** The last conversation id of the page before. */
  after?: ConversationId;
}

export interface Page {
  records: ConversationRecord[];
  /** Pass as `after` to go on; none on the last page. */
  next?: ConversationId;
}

export interface Due {
  /** Reserved places past their deadline: being created by someone who is gone, or stopping. */
  reserved: ContainerId[];
  live: ConversationRecord[];
}
