import type { Instant } from '../../contracts/conversation-record.ts';
import { type ContainerId, executionWork } from '../../contracts/ids.ts';
import type { AdoptionStore, AdoptRequest } from '../adoption-store.ts';
import type { Fenced } from '../conversation-store.ts';
import { EXECUTION_GRACE_MS } from '../store-limits.ts';
import { MemoryExecutions } from './memory-executions.ts';
import { MemoryRecords, move, ms } from './memory-records.ts';
import type { MemoryState, StoredRecord } from './memory-state.ts';

/** Adoption in this process: what it knows goes with it, so a start finds what an earlier run left by adoption alone. */
export class MemoryAdoptionStore implements AdoptionStore {
  readonly #state: MemoryState;
  readonly #clock: { now(): Instant };

  #life: string | undefined;

  constructor(state: MemoryState, clock: { now(): Instant }, isNeeded: boolean) {
    this.#state = state;
    this.#clock = clock;
    this.#life = isNeeded ? 'this process' : undefined;
  }

  async needed(): Promise<string | undefined> {
    return this.#life;
  }

  /** They stay among the starting, lapsed, as discard-warm.lua says. */
  async discardWarm(): Promise<void> {
    const { warm, reserved, starting } = this.#state;
    const now = this.#clock.now();
    for (const container of warm.keys()) {
      reserved.set(container, now);
      starting.set(container, { owner: '', until: now });
    }
    warm.clear();
  }

  async adopt(request: AdoptRequest): Promise<Fenced> {
    const records = new MemoryRecords(this.#state, this.#clock.now());
    const { container } = request;
    const boundTo = records.findByContainer(container);
    const found = records.find(request.tenant, request.conversation);
    if (boundTo && found?.container !== container) return 'stale';
    if (boundTo) return this.#adoptAgain(records, boundTo, request);
    if (records.isStopping(container)) return 'stale';

    this.#state.warm.delete(container);
    this.#state.starting.delete(container);
    if (found && found.claimedAt >= request.claimedAt) {
      this.#state.reserved.set(container, records.now);
      return 'stale';
    }
    this.#state.reserved.delete(container);
    if (found) records.forget(found, records.now);
    const record = adoptedRecord(request, records.now);
    records.enter(record);
    if (this.#takeOverExecutions(records, request)) move(record, 'running');
    records.save(record);
    records.lookWhenQuiet(record, request.ttl);
    return 'done';
  }

  async reserveUnknown(containers: ContainerId[]): Promise<void> {
    const { expiry, reserved, warm } = this.#state;
    for (const container of containers) {
      const placed = expiry.has(container) || reserved.has(container) || warm.has(container);
      if (!placed) reserved.set(container, this.#clock.now());
    }
  }

  async complete(): Promise<Fenced> {
    this.#life = undefined;
    return 'done';
  }

  /** What is bound already becomes live, with what runs there and is not known. */
  #adoptAgain(records: MemoryRecords, record: StoredRecord, request: AdoptRequest): Fenced {
    const prepared = record.status === 'preparing';
    if (prepared) {
      move(record, 'ready');
      record.preparation = null;
      record.lastActiveAt = records.now;
      record.savedVersion ??= request.savedVersion;
      this.#state.reserved.delete(record.container);
    }
    const begun = this.#takeOverExecutions(records, request);
    if (!begun && !prepared) return 'done';
    if (record.status === 'draining') {
      records.lookNotBefore(record.container, records.lastLeaseEnd(record.container));
    } else {
      if (begun) move(record, 'running');
      records.lookWhenQuiet(record, request.ttl);
    }
    records.save(record);
    return 'done';
  }

  /** What runs there: begun with nobody's relay if it is not known, its work held where that is missing. Whether anything was. */
  #takeOverExecutions(records: MemoryRecords, request: AdoptRequest): boolean {
    const executions = new MemoryExecutions(this.#state, records.now);
    const { container } = request;
    let any = false;
    for (const execution of request.executions) {
      const work = executionWork(execution);
      const known = executions.find({ ...request, execution });
      const deadline = known?.deadline ?? records.now + ms(request.executionSeconds);
      const ours = known?.status === 'running' && known.container === container;
      if (known && (!ours || records.leaseEnd(container, work) !== 0)) continue;
      if (!known) {
        executions.begin(
          { ...request, execution },
          { container, bodyHash: '', onDisconnect: 'continue', relay: '', deadline, relayUntil: records.now },
        );
      }
      const leaseMs = deadline + EXECUTION_GRACE_MS - records.now;
      if (leaseMs <= 0) continue;
      any = true;
      records.holdWork(container, work, leaseMs);
    }
    return any;
  }
}

function adoptedRecord(request: AdoptRequest, now: Instant): StoredRecord {
  return {
    tenant: request.tenant,
    conversation: request.conversation,
    container: request.container,
    manager: request.manager,
    status: 'idle',
    createdAt: request.createdAt,
    claimedAt: request.claimedAt,
    lastActiveAt: now,
    preparation: null,
    drainReason: null,
    savedVersion: request.savedVersion,
    preparedBy: '',
    claimedFor: null,
  };
}
