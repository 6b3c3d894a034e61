import type { ConversationRecord, DrainReason, Instant } from '../../contracts/conversation-record.ts';
import type { ContainerId, ConversationId, TenantId, WorkId } from '../../contracts/ids.ts';
import type {
  AcquireRequest,
  AcquireResult,
  BeginWorkResult,
  Confirmation,
  ConfirmResult,
  ConversationStore,
  DrainRequest,
  Due,
  ExchangeResult,
  Fenced,
  Incarnation,
  Lifetimes,
  Page,
  PageRequest,
  Place,
  PreparationRequest,
  WorkRequest,
} from '../conversation-store.ts';
import { idsToLookAt } from '../store-limits.ts';
import { acquire, beginOn, hasBegun, knownOrTooMany } from './acquire.ts';
import { exchange } from './exchange.ts';
import { MemoryRecords, move, ms } from './memory-records.ts';
import { MemoryState, plain, type StoredRecord } from './memory-state.ts';

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
    return acquire(this.#records(), request);
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

  async exchange(request: PreparationRequest & { starter: string }): Promise<ExchangeResult> {
    return exchange(this.#records(), request);
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

  async confirm(request: Confirmation): Promise<ConfirmResult> {
    const records = this.#records();
    const record = records.findPreparation(request);
    if (!record) {
      const found = records.findBound(request);
      if (!found || found.preparedBy !== request.owner) return { kind: 'stale' };
      if (found.status === 'preparing' || found.status === 'draining') return { kind: 'stale' };
      const again =
        request.work !== undefined && hasBegun(records, { ...request, work: request.work }, found);
      return again ? { kind: 'live', record: plain(found) } : { kind: 'done' };
    }
    move(record, 'ready');
    record.preparation = null;
    records.save(record);
    this.#state.reserved.delete(record.container);
    records.lookWhenQuiet(record, request.ttl);
    const { work } = request;
    if (work === undefined || knownOrTooMany(records, { ...request, work })) return { kind: 'done' };
    const begun = beginOn(records, { ...request, work }, record);
    return begun.kind === 'live' ? begun : { kind: 'done' };
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
      records.lookNotBefore(container, records.lastLeaseEnd(container));
      return 'done';
    }
    move(record, 'running');
    records.save(record);
    records.lookWhenQuiet(record, request.ttl);
    return 'done';
  }

  async endWork(request: Incarnation & { work: WorkId; ttl: Lifetimes; quiet?: boolean }): Promise<Fenced> {
    const records = this.#records();
    const record = records.findBound(request);
    if (!record || record.status === 'preparing') return 'stale';
    records.endWork(record, request.work, request.ttl, request.quiet);
    return 'done';
  }

  async saved(request: Incarnation & { version: string }): Promise<Fenced> {
    const records = this.#records();
    const record = records.findBound(request);
    if (!record) return 'stale';
    record.savedVersion = request.version;
    records.save(record);
    return 'done';
  }

  async postpone(request: Incarnation & { seconds: number }): Promise<Fenced> {
    const records = this.#records();
    const record = records.findBound(request);
    if (!record || record.status === 'preparing') return 'stale';
    records.lookNotBefore(record.container, records.now + ms(request.seconds));
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
    if (record.status === 'draining') records.lookNotBefore(container, look);
    else this.#state.expiry.set(container, look);
    move(record, 'draining');
    record.drainReason = weightier(record.drainReason, request.reason);
    records.save(record);
    return 'done';
  }

  async remove(request: Incarnation & { stopSeconds: number }): Promise<Fenced> {
    const records = this.#records();
    const record = records.findBound(request);
    if (!record) return records.isStopping(request.container) ? 'done' : 'stale';
    records.forget(record, records.now + ms(request.stopSeconds));
    return 'done';
  }

  async release(container: ContainerId): Promise<void> {
    if (this.#records().findByContainer(container)) return;
    this.#state.reserved.delete(container);
    this.#state.starting.delete(container);
  }

  async get(tenant: TenantId, conversation: ConversationId): Promise<ConversationRecord | undefined> {
    const record = this.#records().find(tenant, conversation);
    return record && plain(record);
  }

  async findByContainer(container: ContainerId): Promise<ConversationRecord | undefined> {
    const record = this.#records().findByContainer(container);
    return record && plain(record);
  }

  async places(containers: ContainerId[]): Promise<Map<ContainerId, Place>> {
    const { expiry, reserved, warm } = this.#state;
    const found = new Map<ContainerId, Place>();
    for (const container of containers) {
      if (expiry.has(container)) found.set(container, 'live');
      else if (reserved.has(container)) found.set(container, 'reserved');
      else if (warm.has(container)) found.set(container, 'warm');
    }
    return found;
  }

  async scan(
    cursor: string | undefined,
    limit: number,
  ): Promise<{ records: ConversationRecord[]; next?: string }> {
    const records = this.#records();
    const rest = [...this.#state.expiry.keys()].filter((id) => cursor === undefined || id > cursor).sort();
    const page = rest.slice(0, limit);
    const found = page.flatMap((container) => {
      const record = records.findByContainer(container);
      return record ? [plain(record)] : [];
    });
    const next = rest.length > page.length ? page.at(-1) : undefined;
    return next === undefined ? { records: found } : { records: found, next };
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

  async count(): Promise<{ reserved: number; live: number; warm: number }> {
    const { reserved, expiry, warm } = this.#state;
    return { reserved: reserved.size, live: expiry.size, warm: warm.size };
  }

  async ping(): Promise<void> {}

  async close(): Promise<void> {}

  #records(): MemoryRecords {
    return new MemoryRecords(this.#state, this.#clock.now());
  }
}

/** Prolongs a preparation's lease, never shortens it. */
function prolong(records: MemoryRecords, record: StoredRecord, leaseSeconds: number): Instant {
  const until = Math.max(record.preparation?.until ?? 0, records.now + ms(leaseSeconds));
  record.preparation = { owner: record.preparedBy, until };
  records.save(record);
  return until;
}

const WEIGHT: Record<DrainReason, number> = { purged: 2, deleted: 1, expired: 0, unhealthy: 0 };

/** A user's word outweighs other reasons; of the others the first stays. */
function weightier(reason: DrainReason | null, other: DrainReason): DrainReason {
  return reason === null || WEIGHT[other] > WEIGHT[reason] ? other : reason;
}

function firstDue(index: Map<ContainerId, Instant>, now: Instant, limit: number): ContainerId[] {
  return [...index]
    .filter(([, when]) => when <= now)
    .sort(([a, when], [b, then]) => when - then || (a < b ? -1 : 1))
    .slice(0, limit)
    .map(([container]) => container);
}
