import type {
  ConversationRecord,
  ConversationStatus,
  DrainReason,
  Instant,
} from '../contracts/conversation-record.ts';
import type { ExecutionRecord } from '../contracts/execution-record.ts';
import type { ContainerId, ConversationId, ExecutionId, TenantId, WorkId } from '../contracts/ids.ts';

/**
 * The state of conversations. Each operation is one atomic step of the domain; every write names the
 * container it means (the incarnation) and is refused when the record has moved on; repeating a call
 * with the same arguments changes nothing. Times are the store's own. A store that can't be reached
 * throws `STORE_UNAVAILABLE` within 2 s. One that lost, or may have lost, what it knew throws `AdoptionNeeded` from
 * every call that claims, binds, begins work, drains or removes, and changes nothing (adoption-store.ts).
 *
 * A container's place counts against `maxContainers` from `acquire` or the pool's `reserve` until `release`: it is
 * reserved (being created, or being stopped), warm, or bound to a live record, never two of these.
 */
export interface ConversationStore {
  /** The store's clock, which decides about records. */
  now(): Promise<Instant>;

  /**
   * The live record, with `work` begun on it in the same step (as `beginWork` does), and its execution recorded
   * where it is one; or a new record in `preparing` for the caller to prepare: of the oldest warm container, bound
   * in the same step, or of a reserved place to create one in. One past its longest life takes no new work: that is
   * told as `draining`, whatever its status. Of an execution that was begun before nothing is begun again.
   */
  acquire(request: AcquireRequest): Promise<AcquireResult>;

  /** Keeps a preparation (reserved or bound) the caller's. */
  renewPreparation(request: PreparationRequest): Promise<Fenced>;

  /**
   * A member of the pool instead of a reserved place whose container is still being made: the record is bound to the
   * oldest member, and in its place `starter` makes a member for the pool, both in one step. Repeating the call says
   * so again.
   */
  exchange(request: PreparationRequest & { starter: string }): Promise<ExchangeResult>;

  /** The container exists: its place moves from the reserved to the live. Still `preparing`. */
  bind(request: PreparationRequest): Promise<Fenced>;

  /**
   * Preparation is over: `preparing` → `ready`; and `work` begins in the same step, as `acquire` would begin it. Where
   * something stands against that it is `done` all the same, and `acquire` tells what.
   */
  confirm(request: Confirmation): Promise<ConfirmResult>;

  /** Enters work in flight under a lease: `ready` or `idle` → `running`. */
  beginWork(request: WorkRequest): Promise<BeginWorkResult>;

  /** Prolongs the lease. */
  renewWork(request: WorkRequest): Promise<Fenced>;

  /** Ends work. The last one out: `running` → `idle`, and the idle time starts, unless the work was `quiet`. */
  endWork(request: Incarnation & { work: WorkId; ttl: Lifetimes; quiet?: boolean }): Promise<Fenced>;

  /** The container's files are saved as this version. */
  saved(request: Incarnation & { version: string }): Promise<Fenced>;

  /** Not due before `seconds` from now: what would end it can't yet. Never moves it nearer. */
  postpone(request: Incarnation & { seconds: number }): Promise<Fenced>;

  /** Work whose lease has not lapsed. */
  workInFlight(container: ContainerId): Promise<WorkId[]>;

  /**
   * No new work begins: → `draining`. With `onlyIdle`, refused as `busy` while work is in flight
   * or a preparation is under way. Draining already: `done`; of two reasons the user's stays,
   * and of those `purged`. A `preparing` one is `busy`.
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

  /** Which of these have a place: bound to a record, reserved, or in the warm pool. */
  places(containers: ContainerId[]): Promise<Map<ContainerId, Place>>;

  /** All live records, a page at a time: for a look at every container. Pass `next` as `cursor` to go on. */
  scan(cursor: string | undefined, limit: number): Promise<{ records: ConversationRecord[]; next?: string }>;

  /** In order of id. */
  list(tenant: TenantId, page: PageRequest): Promise<Page>;

  /** What needs a look: reserved places past their deadline, live records whose time to look has come. */
  due(limit: number): Promise<Due>;

  /** Containers counted against the maximum. */
  count(): Promise<{ reserved: number; live: number; warm: number }>;

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
  /** Begun when the record is live. An execution's lease is its own time and a minute. */
  work: { id: WorkId; leaseSeconds: number; ttl: Lifetimes; execution?: ExecutionStart };
  /** Most conversations of this tenant with a container; none = no limit. */
  tenantLimit?: number;
}

export interface Confirmation extends Incarnation {
  owner: string;
  ttl: Lifetimes;
  work?: AcquireRequest['work'];
}

export type ConfirmResult =
  | { kind: Fenced }
  /** `running` now, with the work begun. */
  | { kind: 'live'; record: ConversationRecord };

export interface ExecutionStart {
  id: ExecutionId;
  bodyHash: string;
  /** For the whole of it. */
  seconds: number;
  onDisconnect: 'continue' | 'cancel';
  /** Who relays it, for `relaySeconds` from now. */
  relay: string;
  relaySeconds: number;
  /** Most executions of this tenant at once; none = no limit. */
  tenantLimit?: number;
}

export type AcquireResult =
  /** `running` now, with the work begun. */
  | { kind: 'live'; record: ConversationRecord }
  /** A place is reserved for `newContainer`; the caller creates and prepares it. Repeating the call says so again. */
  | { kind: 'reserved'; record: ConversationRecord }
  /** A warm container is bound; the caller prepares it. */
  | { kind: 'claimed'; record: ConversationRecord }
  /** Another caller prepares it. */
  | { kind: 'preparing'; record: ConversationRecord }
  | { kind: 'draining'; record: ConversationRecord }
  | { kind: 'no-room'; limit: number; used: number }
  | { kind: 'over-quota'; limit: number; used: number }
  /** This very execution was begun before: by the same request, or by one with another body. */
  | { kind: 'known'; execution: ExecutionRecord }
  | { kind: 'other-request' }
  /** Another execution runs in this conversation. */
  | { kind: 'locked'; execution: ExecutionId }
  | { kind: 'over-executions'; limit: number; used: number };

export type ExchangeResult =
  /** A warm container is bound; the caller prepares it. */
  | { kind: 'claimed'; record: ConversationRecord }
  /** The pool has no member, or the container is there already. */
  | { kind: 'empty' }
  | { kind: 'stale' };

export type Place = 'live' | 'reserved' | 'warm';

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
