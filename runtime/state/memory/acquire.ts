import { BerthError } from '../../contracts/errors.ts';
import { executionWork } from '../../contracts/ids.ts';
import type { AcquireRequest, AcquireResult } from '../conversation-store.ts';
import { EXECUTION_GRACE_MS } from '../store-limits.ts';
import { MemoryExecutions, plainExecution } from './memory-executions.ts';
import { type MemoryRecords, ms } from './memory-records.ts';
import { plain, type StoredMember, type StoredRecord } from './memory-state.ts';

type ToBegin = Pick<AcquireRequest, 'tenant' | 'conversation' | 'work'>;

/** One step, as acquire.lua is for Redis. */
export function acquire(records: MemoryRecords, request: AcquireRequest): AcquireResult {
  const { tenant, conversation, newContainer, owner } = request;
  const known = knownOrTooMany(records, request);
  if (known) return known;
  const found = records.find(tenant, conversation);
  if (found?.preparation) {
    const lapsed = found.preparation.until <= records.now;
    const again = found.container === newContainer || found.claimedFor === newContainer;
    if (again && found.preparation.owner === owner && !lapsed) {
      return { kind: found.claimedFor === null ? 'reserved' : 'claimed', record: plain(found) };
    }
    if (again || !lapsed) return { kind: 'preparing', record: plain(found) };
  } else if (found) {
    return beginOn(records, request, found);
  }
  return prepareAnew(records, request, found);
}

export function knownOrTooMany(records: MemoryRecords, { tenant, conversation, work }: ToBegin) {
  const start = work.execution;
  if (start === undefined) return undefined;
  const executions = new MemoryExecutions(records.state, records.now);
  const known = executions.find({ tenant, conversation, execution: start.id });
  if (known) {
    const same = known.bodyHash === start.bodyHash || known.bodyHash === '';
    return same
      ? ({ kind: 'known', execution: plainExecution(known) } as const)
      : ({ kind: 'other-request' } as const);
  }
  const limit = start.tenantLimit;
  const used = limit === undefined ? 0 : executions.countOf(tenant);
  return limit !== undefined && used >= limit
    ? ({ kind: 'over-executions', limit, used } as const)
    : undefined;
}

/** Begins the work, and its execution, on a record that is prepared. */
export function beginOn(records: MemoryRecords, request: ToBegin, found: StoredRecord): AcquireResult {
  const { id, leaseSeconds, ttl, execution: start } = request.work;
  const executions = new MemoryExecutions(records.state, records.now);
  if (found.status === 'draining') return { kind: 'draining', record: plain(found) };
  const lockedBy = start && executions.inFlight(found.container);
  if (lockedBy !== undefined && lockedBy !== start?.id) return { kind: 'locked', execution: lockedBy };
  const begun = start
    ? records.beginWork(found, executionWork(start.id), ms(start.seconds) + EXECUTION_GRACE_MS, ttl)
    : records.beginWork(found, id, ms(leaseSeconds), ttl);
  if (begun === 'draining') return { kind: 'draining', record: plain(found) };
  if (start) {
    executions.begin(
      { ...request, execution: start.id },
      {
        ...start,
        container: found.container,
        deadline: records.now + ms(start.seconds),
        relayUntil: records.now + ms(start.relaySeconds),
      },
    );
  }
  return { kind: 'live', record: plain(found) };
}

/** Whether this very work has begun there: the answer to the call that began it was lost. */
export function hasBegun(records: MemoryRecords, request: ToBegin, found: StoredRecord): boolean {
  const { id, execution: start } = request.work;
  const work = start ? executionWork(start.id) : id;
  if ((records.state.work.get(found.container)?.get(work) ?? 0) <= records.now) return false;
  const executions = new MemoryExecutions(records.state, records.now);
  return start === undefined || executions.find({ ...request, execution: start.id })?.relay === start.relay;
}

/** A record in `preparing`. A preparation that lapsed is replaced; its container keeps its place. */
function prepareAnew(
  records: MemoryRecords,
  request: AcquireRequest,
  lapsed: StoredRecord | undefined,
): AcquireResult {
  const { tenant, newContainer, maxContainers, tenantLimit } = request;
  const { state } = records;
  const conversations = state.tenants.get(tenant)?.size ?? 0;
  if (!lapsed && tenantLimit !== undefined && conversations >= tenantLimit) {
    return { kind: 'over-quota', limit: tenantLimit, used: conversations };
  }
  const [member] = state.warm.values();
  if (!member) {
    if (state.reserved.has(newContainer) || state.expiry.has(newContainer)) {
      throw new BerthError('INTERNAL', `The container id ${newContainer} is taken already.`);
    }
    const used = records.placesUsed();
    if (used >= maxContainers) return { kind: 'no-room', limit: maxContainers, used };
  }

  if (lapsed) records.forget(lapsed, records.now);
  const record = newRecord(request, records.now, member);
  records.enter(record);
  state.demand += 1;
  const until = records.now + ms(request.leaseSeconds);
  if (!member) {
    state.reserved.set(newContainer, until);
    return { kind: 'reserved', record: plain(record) };
  }
  state.warm.delete(member.container);
  state.expiry.set(member.container, until);
  return { kind: 'claimed', record: plain(record) };
}

function newRecord(request: AcquireRequest, now: number, member: StoredMember | undefined): StoredRecord {
  return {
    tenant: request.tenant,
    conversation: request.conversation,
    container: member?.container ?? request.newContainer,
    manager: member?.manager ?? request.manager,
    status: 'preparing',
    createdAt: member?.createdAt ?? now,
    claimedAt: now,
    lastActiveAt: now,
    preparation: { owner: request.owner, until: now + ms(request.leaseSeconds) },
    drainReason: null,
    savedVersion: null,
    preparedBy: request.owner,
    claimedFor: member ? request.newContainer : null,
  };
}
