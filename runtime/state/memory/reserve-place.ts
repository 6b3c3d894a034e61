import { BerthError } from '../../contracts/errors.ts';
import type { ConversationId } from '../../contracts/ids.ts';
import type { AcquireRequest, AcquireResult } from '../conversation-store.ts';
import { type MemoryRecords, ms } from './memory-records.ts';
import { nameOf, plain, type StoredRecord } from './memory-state.ts';

/** A place and a record in `preparing`. A preparation that lapsed is replaced; its container keeps its place. */
export function reservePlace(
  records: MemoryRecords,
  request: AcquireRequest,
  lapsed: StoredRecord | undefined,
): AcquireResult {
  const { tenant, conversation, newContainer, maxContainers, tenantLimit } = request;
  const { reserved, expiry, reverse, tenants } = records.state;
  const conversations = tenants.get(tenant)?.size ?? 0;
  if (!lapsed && tenantLimit !== undefined && conversations >= tenantLimit) {
    return { kind: 'over-quota', limit: tenantLimit, used: conversations };
  }
  if (reserved.has(newContainer) || expiry.has(newContainer)) {
    throw new BerthError('INTERNAL', `The container id ${newContainer} is taken already.`);
  }
  const used = reserved.size + expiry.size;
  if (used >= maxContainers) return { kind: 'no-room', limit: maxContainers, used };

  if (lapsed) records.forget(lapsed, records.now);
  const record = newRecord(request, records.now);
  records.save(record);
  reverse.set(newContainer, nameOf(tenant, conversation));
  tenants.set(tenant, (tenants.get(tenant) ?? new Set<ConversationId>()).add(conversation));
  reserved.set(newContainer, records.now + ms(request.leaseSeconds));
  return { kind: 'reserved', record: plain(record) };
}

function newRecord(request: AcquireRequest, now: number): StoredRecord {
  return {
    tenant: request.tenant,
    conversation: request.conversation,
    container: request.newContainer,
    manager: request.manager,
    status: 'preparing',
    createdAt: now,
    claimedAt: now,
    lastActiveAt: now,
    preparation: { owner: request.owner, until: now + ms(request.leaseSeconds) },
    drainReason: null,
    preparedBy: request.owner,
  };
}
