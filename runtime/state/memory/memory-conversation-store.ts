import type { ConversationRecord, Instant } from '../../contracts/conversation-record.ts';
import type { ContainerId, ConversationId, TenantId, WorkId } from '../../contracts/ids.ts';
import type {
  AcquireRequest,
  AcquireResult,
  BeginWorkResult,
  ConversationStore,
  DrainRequest,
  Due,
  Fenced,
  Incarnation,
  Lifetimes,
  Page,
  PageRequest,
  PreparationRequest,
  WorkRequest,
} from '../conversation-store.ts';
import { idsToLookAt } from '../store-limits.ts';
import { MemoryRecords, move, ms } from './memory-records.ts';
import { MemoryState, plain, type StoredRecord } from './memory-state.ts';
import { reservePlace } from './reserve-place.ts';

export interface MemoryConversationStoreOptions {
  clock?: { now(): Instant };
  state?: MemoryState;
}

/** The state of conversations in this process: each operation is one synchronous step. */
export class MemoryConversationStore implements ConversationStore {
  readonly #clock: { now(): Instant };
  readonly #state: MemoryState;

  constructor({ clock = Date, state = new MemoryState() }: MemoryConversationStoreOptions = {}) {
    this.#clock = clock;
    this.#state = state;
  }

  async now(): Promise<Instant> {
    return this.#clock.now();
  }

  async acquire(request: AcquireRequest): Promise<AcquireResult> {
    const records = this.#records();
    const { tenant, conversation, newContainer, owner, work } = request;
    const found = records.find(tenant, conversation);
    if (found?.preparation) {
      const lapsed = found.preparation.until <= records.now;
      const ours = found.container === newContainer && found.preparation.owner === owner && !lapsed;
      if (ours) return { kind: 'reserved', record: plain(found) };
      if (!lapsed || found.container === newContainer) return { kind: 'preparing', record: plain(found) };
    } else if (found) {
      const begun =
        found.status !== 'draining' &&
        records.beginWork(found, work.id, ms(work.leaseSeconds), work.ttl) === 'done';
      return { kind: begun ? 'live' : 'draining', record: plain(found) };
    }
    return reservePlace(records, request, found);
  }

  async renewPreparation(request: PreparationRequest): Promise<Fenced> {
    const records = this.#records();
    const record = records.findPreparation(request);
    if (!record) return 'stale';
    const until = prolong(records, record, request.leaseSeconds);
    const index = this.#state.reserved.has(record.container) ? this.#state.reserved : this.#state.expiry;
    index.set(record.container, until);
    return 'done';
  }

  async bind(request: PreparationRequest): Promise<Fenced> {
    const records = this.#records();
    const record = records.findPreparation(request);
    if (!record) return 'stale';
    const until = prolong(records, record, request.leaseSeconds);
    this.#state.reserved.delete(record.container);
    this.#state.expiry.set(record.container, until);
    return 'done';
  }

  async confirm(request: Incarnation & { owner: string; ttl: Lifetimes }): Promise<Fenced> {
    const records = this.#records();
    const record = records.findPreparation(request);
    if (!record) {
      const found = records.findBound(request);
      const status = found?.preparedBy === request.owner ? found.status : 'draining';
      return status === 'preparing' || status === 'draining' ? 'stale' : 'done';
    }
    move(record, 'ready');
    record.preparation = null;
    records.save(record);
    this.#state.reserved.delete(record.container);
    records.lookWhenQuiet(record, request.ttl);
    return 'done';
  }

  async beginWork(request: WorkRequest): Promise<BeginWorkResult> {
    const records = this.#records();
    const record = records.findBound(request);
    if (!record) return 'stale';
    if (record.status === 'preparing' || record.status === 'draining') return record.status;
    return records.beginWork(record, request.work, ms(request.leaseSeconds), request.ttl);
  }

  async renewWork(request: WorkRequest): Promise<Fenced> {
    const records = this.#records();
    const { container, work } = request;
    const record = records.findBound(request);
    const heldUntil = records.leaseEnd(container, work);
    if (!record || heldUntil === 0) return 'stale';
    const draining = record.status === 'draining';
    if (draining && heldUntil <= records.now) return 'stale';
    records.holdWork(container, work, ms(request.leaseSeconds));
    if (draining) {
      this.#lookNotBefore(container, records.lastLeaseEnd(container));
      return 'done';
    }
    move(record, 'running');
    records.save(record);
    records.lookWhenQuiet(record, request.ttl);
    return 'done';
  }

  async endWork(request: Incarnation & { work: WorkId; ttl: Lifetimes }): Promise<Fenced> {
    const records = this.#records();
    const { container, work } = request;
    const record = records.findBound(request);
    if (!record || record.status === 'preparing') return 'stale';
    if (!this.#state.work.get(container)?.delete(work)) return 'done';
    record.lastActiveAt = records.now;
    if (record.status === 'running' && !records.works(container)) move(record, 'idle');
    records.save(record);
    if (record.status !== 'draining') records.lookWhenQuiet(record, request.ttl);
    return 'done';
  }

  async workInFlight(container: ContainerId): Promise<WorkId[]> {
    const now = this.#clock.now();
    const leases = [...(this.#state.work.get(container) ?? [])];
    return leases.flatMap(([work, end]) => (end > now ? [work] : [])).sort();
  }

  async beginDrain(request: DrainRequest): Promise<Fenced | 'busy'> {
    const records = this.#records();
    const record = records.findBound(request);
    if (!record) return 'stale';
    if (record.status === 'preparing' || (request.onlyIdle && record.status === 'running')) return 'busy';
    if (record.lastActiveAt > (request.lastActiveAt ?? record.lastActiveAt)) return 'busy';
    const { container } = record;
    const look = Math.max(records.now + ms(request.leaseSeconds), records.lastLeaseEnd(container));
    if (record.status === 'draining') this.#lookNotBefore(container, look);
    else this.#state.expiry.set(container, look);
    move(record, 'draining');
    record.drainReason = request.reason === 'deleted' ? 'deleted' : (record.drainReason ?? request.reason);
    records.save(record);
    return 'done';
  }

  async remove(request: Incarnation & { stopSeconds: number }): Promise<Fenced> {
    const records = this.#records();
    const { container } = request;
    const record = records.findBound(request);
    if (record) {
      records.forget(record, records.now + ms(request.stopSeconds));
      return 'done';
    }
    const stopping = this.#state.reserved.has(container) && !records.findByContainer(container);
    return stopping ? 'done' : 'stale';
  }

  async release(container: ContainerId): Promise<void> {
    if (!this.#records().findByContainer(container)) this.#state.reserved.delete(container);
  }

  async get(tenant: TenantId, conversation: ConversationId): Promise<ConversationRecord | undefined> {
    const record = this.#records().find(tenant, conversation);
    return record && plain(record);
  }

  async findByContainer(container: ContainerId): Promise<ConversationRecord | undefined> {
    const record = this.#records().findByContainer(container);
    return record && plain(record);
  }

  async list(tenant: TenantId, { after, status, limit }: PageRequest): Promise<Page> {
    const records = this.#records();
    const ids = [...(this.#state.tenants.get(tenant) ?? [])]
      .filter((id) => after === undefined || id > after)
      .sort();
    const page: ConversationRecord[] = [];
    for (const [index, id] of ids.entries()) {
      const record = records.find(tenant, id);
      if (record && (status === undefined || record.status === status)) page.push(plain(record));
      const full = page.length === limit || index + 1 === idsToLookAt(limit);
      if (full && index + 1 < ids.length) return { records: page, next: id };
      if (full) break;
    }
    return { records: page };
  }

  async due(limit: number): Promise<Due> {
    const records = this.#records();
    return {
      reserved: firstDue(this.#state.reserved, records.now, limit),
      live: firstDue(this.#state.expiry, records.now, limit).flatMap((container) => {
        const record = records.findByContainer(container);
        return record ? [plain(record)] : [];
      }),
    };
  }

  async count(): Promise<{ reserved: number; live: number }> {
    return { reserved: this.#state.reserved.size, live: this.#state.expiry.size };
  }

  async ping(): Promise<void> {}

  async close(): Promise<void> {}

  #records(): MemoryRecords {
    return new MemoryRecords(this.#state, this.#clock.now());
  }

  #lookNotBefore(container: ContainerId, when: Instant): void {
    const { expiry } = this.#state;
    expiry.set(container, Math.max(expiry.get(container) ?? 0, when));
  }
}

/** Prolongs a preparation's lease, never shortens it. */
function prolong(records: MemoryRecords, record: StoredRecord, leaseSeconds: number): Instant {
  const until = Math.max(record.preparation?.until ?? 0, records.now + ms(leaseSeconds));
  record.preparation = { owner: record.preparedBy, until };
  records.save(record);
  return until;
}

function firstDue(index: Map<ContainerId, Instant>, now: Instant, limit: number): ContainerId[] {
  return [...index]
    .filter(([, when]) => when <= now)
    .sort(([a, when], [b, then]) => when - then || (a < b ? -1 : 1))
    .slice(0, limit)
    .map(([container]) => container);
}
