import { type ConversationStatus, type Instant, mayFollow } from '../../contracts/conversation-record.ts';
import { BerthError } from '../../contracts/errors.ts';
import type { ContainerId, ConversationId, TenantId, WorkId } from '../../contracts/ids.ts';
import type { Incarnation, Lifetimes } from '../conversation-store.ts';
import { LAPSED_WORK_KEPT_MS } from '../store-limits.ts';
import { copyOf, type MemoryState, nameOf, type StoredRecord } from './memory-state.ts';

/** Finds and changes records at one moment, by the rules that prelude.lua has for Redis. */
export class MemoryRecords {
  readonly state: MemoryState;
  readonly now: Instant;

  constructor(state: MemoryState, now: Instant) {
    this.state = state;
    this.now = now;
  }

  /** A copy of the record as it is now: work whose lease lapsed ended then, and with no other it is idle since. */
  find(tenant: TenantId, conversation: ConversationId): StoredRecord | undefined {
    return this.#named(nameOf(tenant, conversation));
  }

  /** The record if it is bound to this container. */
  findBound({ tenant, conversation, container }: Incarnation): StoredRecord | undefined {
    const record = this.find(tenant, conversation);
    return record?.container === container ? record : undefined;
  }

  findByContainer(container: ContainerId): StoredRecord | undefined {
    const name = this.state.reverse.get(container);
    return name === undefined ? undefined : this.#named(name);
  }

  /** The record if this owner still prepares this container. A lapsed lease is lost for good. */
  findPreparation(request: Incarnation & { owner: string }): StoredRecord | undefined {
    const record = this.findBound(request);
    const preparation = record?.preparation ?? null;
    return preparation?.owner === request.owner && preparation.until > this.now ? record : undefined;
  }

  save(record: StoredRecord): void {
    this.state.records.set(nameOf(record.tenant, record.conversation), record);
  }

  /** Makes a record known by its container and its tenant. */
  enter(record: StoredRecord): void {
    const { tenant, conversation, container } = record;
    const { reverse, tenants } = this.state;
    this.save(record);
    reverse.set(container, nameOf(tenant, conversation));
    tenants.set(tenant, (tenants.get(tenant) ?? new Set<ConversationId>()).add(conversation));
  }

  /** Deletes the record. Its container's place is reserved until it is released. */
  forget(record: StoredRecord, deadline: Instant): void {
    checkTransition(record.status, 'gone');
    const { state } = this;
    state.records.delete(nameOf(record.tenant, record.conversation));
    state.reverse.delete(record.container);
    state.work.delete(record.container);
    const conversations = state.tenants.get(record.tenant);
    conversations?.delete(record.conversation);
    if (conversations?.size === 0) state.tenants.delete(record.tenant);
    state.expiry.delete(record.container);
    state.reserved.set(record.container, deadline);
  }

  /** Whether its place is that of a container which is being stopped: reserved for no record, nor for the pool. */
  isStopping(container: ContainerId): boolean {
    const { reserved, starting } = this.state;
    return reserved.has(container) && !starting.has(container) && !this.findByContainer(container);
  }

  /** Containers that count against the maximum. */
  placesUsed(): number {
    const { reserved, expiry, warm } = this.state;
    return reserved.size + expiry.size + warm.size;
  }

  leaseEnd(container: ContainerId, work: WorkId): Instant {
    return this.state.work.get(container)?.get(work) ?? 0;
  }

  /** Of the lease that lapses last, lapsed ones included; 0 without any. */
  lastLeaseEnd(container: ContainerId): Instant {
    return Math.max(0, ...(this.state.work.get(container)?.values() ?? []));
  }

  works(container: ContainerId): boolean {
    return this.lastLeaseEnd(container) > this.now;
  }

  /** Enters work or prolongs its lease, never shortens it. */
  holdWork(container: ContainerId, work: WorkId, leaseMs: number): void {
    const leases = this.state.work.get(container) ?? new Map<WorkId, Instant>();
    this.state.work.set(container, leases);
    for (const [id, end] of leases) if (end <= this.now - LAPSED_WORK_KEPT_MS) leases.delete(id);
    leases.set(work, Math.max(leases.get(work) ?? 0, this.now + leaseMs));
  }

  /** Begins work on a live record; past its maximum lifetime it takes none, as if it were draining. */
  beginWork(record: StoredRecord, work: WorkId, leaseMs: number, ttl: Lifetimes): 'done' | 'draining' {
    const tooOld = record.createdAt + ms(ttl.maxLifetimeSeconds) <= this.now;
    if (tooOld && this.leaseEnd(record.container, work) <= this.now) return 'draining';
    this.holdWork(record.container, work, leaseMs);
    move(record, 'running');
    this.save(record);
    this.lookWhenQuiet(record, ttl);
    return 'done';
  }

  /** Ends work; with the last one `running` → `idle`. Work that is not there has ended already. */
  endWork(record: StoredRecord, work: WorkId, ttl: Lifetimes, quiet = false): void {
    const { container } = record;
    if (!this.state.work.get(container)?.delete(work)) return;
    if (!quiet) record.lastActiveAt = this.now;
    if (record.status === 'running' && !this.works(container)) move(record, 'idle');
    this.save(record);
    if (record.status !== 'draining') this.lookWhenQuiet(record, ttl);
  }

  /** Not while work holds a lease; then when it has been idle for long enough or is old enough. */
  lookWhenQuiet(record: StoredRecord, ttl: Lifetimes): void {
    const quietFrom = Math.max(record.lastActiveAt, this.lastLeaseEnd(record.container));
    const expires = Math.min(quietFrom + ms(ttl.idleSeconds), record.createdAt + ms(ttl.maxLifetimeSeconds));
    this.state.expiry.set(record.container, Math.max(quietFrom, expires));
  }

  lookNotBefore(container: ContainerId, when: Instant): void {
    const { expiry } = this.state;
    expiry.set(container, Math.max(expiry.get(container) ?? 0, when));
  }

  #named(name: string): StoredRecord | undefined {
    const stored = this.state.records.get(name);
    if (stored === undefined) return undefined;
    const record = copyOf(stored);
    if (record.status === 'running' && !this.works(record.container)) {
      move(record, 'idle');
      record.lastActiveAt = Math.max(record.lastActiveAt, this.lastLeaseEnd(record.container));
    }
    return record;
  }
}

export function move(record: StoredRecord, status: ConversationStatus): void {
  if (record.status !== status) checkTransition(record.status, status);
  record.status = status;
}

export function ms(seconds: number): number {
  return Math.round(seconds * 1_000);
}

function checkTransition(from: ConversationStatus, to: ConversationStatus | 'gone'): void {
  if (mayFollow(from, to)) return;
  throw new BerthError('INTERNAL', `A record that is ${from} does not become ${to}.`);
}
