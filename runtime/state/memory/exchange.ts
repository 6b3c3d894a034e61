import type { ExchangeResult, PreparationRequest } from '../conversation-store.ts';
import { type MemoryRecords, ms } from './memory-records.ts';
import { plain } from './memory-state.ts';

/** One step, as exchange.lua is for Redis. */
export function exchange(
  records: MemoryRecords,
  request: PreparationRequest & { starter: string },
): ExchangeResult {
  const { tenant, conversation, container } = request;
  const { state, now } = records;
  const record = records.findPreparation(request);
  if (!record) {
    const other = records.find(tenant, conversation);
    if (other?.claimedFor !== container) return { kind: 'stale' };
    const again = records.findPreparation({ ...request, container: other.container });
    return again ? { kind: 'claimed', record: plain(again) } : { kind: 'stale' };
  }
  const [member] = state.warm.values();
  if (record.claimedFor !== null || !state.reserved.has(container) || !member) return { kind: 'empty' };

  const until = now + ms(request.leaseSeconds);
  state.warm.delete(member.container);
  state.reverse.delete(container);
  state.reserved.set(container, until);
  state.starting.set(container, { owner: request.starter, until });
  const bound = {
    ...record,
    container: member.container,
    claimedFor: container,
    manager: member.manager,
    createdAt: member.createdAt,
    preparation: { owner: request.owner, until: Math.max(record.preparation?.until ?? 0, until) },
  };
  records.enter(bound);
  state.expiry.set(member.container, bound.preparation.until);
  return { kind: 'claimed', record: plain(bound) };
}
