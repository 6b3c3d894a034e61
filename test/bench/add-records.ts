import { randomUUID } from 'node:crypto';
import {
  conversationContainerId,
  parseConversationId,
  type TenantId,
  workId,
} from '../../runtime/contracts/ids.ts';
import type { State } from '../../runtime/state/state.ts';
import { must } from '../support/must.ts';

const AT_ONCE = 100;

/** Conversations of a tenant, idle, in containers that the backend knows nothing of. */
export async function addRecords(
  { conversations: store }: State,
  tenant: TenantId,
  count: number,
  { ttl, maxContainers }: { ttl: { idleSeconds: number; maxLifetimeSeconds: number }; maxContainers: number },
): Promise<void> {
  const addOne = async () => {
    const conversation = must(parseConversationId(randomUUID()));
    const container = conversationContainerId(randomUUID());
    const lease = { owner: 'bench', leaseSeconds: 30 };
    const work = { id: workId('bench', randomUUID()), leaseSeconds: 30, ttl };
    const request = {
      tenant,
      conversation,
      newContainer: container,
      manager: 'process',
      maxContainers,
      work,
    };
    const { kind } = await store.acquire({ ...request, ...lease });
    if (kind !== 'reserved') throw new Error(`a record could not be made: ${kind}`);
    const incarnation = { tenant, conversation, container };
    await store.bind({ ...incarnation, ...lease });
    await store.confirm({ ...incarnation, owner: lease.owner, ttl });
  };
  for (let added = 0; added < count; added += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - added) }, addOne));
}
