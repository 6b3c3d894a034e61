import { isBerthError } from '../../../runtime/contracts/errors.ts';
import type { Confirmation } from '../../../runtime/state/conversation-store.ts';
import type { State } from '../../../runtime/state/state.ts';
import { conversation, execution, tenant, work } from './names.ts';
import { TTL } from './scenario.ts';
import { MAX_CONTAINERS, type SettledCall } from './settle-call.ts';

/** Makes the call and gives its answer as a plain value; a refusal by exception is an answer as well. */
export async function perform(state: State, call: SettledCall): Promise<unknown> {
  const { conversations, warmPool, adoption, executions } = state;
  const { owner, container, lease: leaseSeconds } = call;
  const incarnation = {
    tenant: tenant(call.tenant),
    conversation: conversation(call.conversation),
    container,
  };
  const working = { ...incarnation, work: work(call.work), leaseSeconds, ttl: TTL };
  const relayed = { ...incarnation, execution: execution(call.execution), relay: owner, leaseSeconds };
  const member = { container, owner, leaseSeconds };
  switch (call.kind) {
    case 'acquire':
      return conversations.acquire(acquireRequest(call)).catch(refusal);
    case 'renewPreparation':
      return conversations.renewPreparation({ ...incarnation, owner, leaseSeconds });
    case 'bind':
      return conversations.bind({ ...incarnation, owner, leaseSeconds });
    case 'exchange':
      return conversations.exchange({ ...incarnation, owner, leaseSeconds, starter: owner });
    case 'confirm':
      return confirm(state, { ...incarnation, owner, ttl: TTL }, call);
    case 'beginWork':
      return conversations.beginWork(working);
    case 'renewWork':
      return conversations.renewWork(working);
    case 'endWork':
      return conversations.endWork({ ...working, quiet: call.flag });
    case 'saved':
      return conversations.saved({ ...incarnation, version: `v${call.work}` });
    case 'postpone':
      return conversations.postpone({ ...incarnation, seconds: leaseSeconds });
    case 'drain':
      return conversations.beginDrain({
        ...incarnation,
        onlyIdle: call.flag,
        reason: call.reason,
        leaseSeconds,
      });
    case 'remove':
      return conversations.remove({ ...incarnation, stopSeconds: leaseSeconds });
    case 'release':
      return conversations.release(container);

    case 'takeRelay':
      return executions.takeRelay(relayed);
    case 'renewRelay':
      return executions.renewRelay(relayed);
    case 'append':
      return executions.append({ ...relayed, ...next(call) });
    case 'leaveRelay':
      return executions.leaveRelay(relayed);
    case 'finish':
      return executions.finish({ ...relayed, status: 'completed', entries: next(call).entries, ttl: TTL });
    case 'abandon':
      return executions.abandon({ ...relayed, ttl: TTL });

    case 'reserveMember':
      return warmPool.reserve({ ...member, most: 3, maxContainers: MAX_CONTAINERS }).catch(refusal);
    case 'renewMember':
      return warmPool.renew(member);
    case 'addMember':
      return warmPool.add({ ...member, image: 'base:1', manager: 'docker' });
    case 'removeMember':
      return warmPool.remove({ container, stopSeconds: leaseSeconds });

    // Adoption takes in what is there, however much that is; here it stays within the maximum.
    case 'adopt':
      return call.full && !call.takenAlready ? undefined : adoption.adopt(await adoptRequest(state, call));
    case 'reserveUnknown':
      return call.full && !call.takenAlready ? undefined : adoption.reserveUnknown([container]);
    case 'discardWarm':
      return adoption.discardWarm();

    case 'look':
      return look(state, call);
  }
}

async function confirm(state: State, request: Confirmation, call: SettledCall): Promise<unknown> {
  const { work } = acquireRequest(call);
  const answer = await state.conversations.confirm({ ...request, ...(call.flag ? { work } : {}) });
  return answer.kind === 'live' ? answer : answer.kind;
}

function acquireRequest(call: SettledCall) {
  const { owner, lease: leaseSeconds } = call;
  const start = {
    id: execution(call.execution),
    bodyHash: `body-${call.work}`,
    seconds: 60,
    onDisconnect: call.flag ? ('cancel' as const) : ('continue' as const),
    relay: owner,
    relaySeconds: 15,
    tenantLimit: call.tenant === 'other' ? 1 : 2,
  };
  return {
    tenant: tenant(call.tenant),
    conversation: conversation(call.conversation),
    newContainer: call.container,
    manager: 'docker',
    owner,
    leaseSeconds,
    maxContainers: MAX_CONTAINERS,
    work: { id: work(call.work), leaseSeconds, ttl: TTL, ...(call.executes ? { execution: start } : {}) },
    ...(call.tenant === 'other' ? { tenantLimit: 1 } : {}),
  };
}

/** One event more in the log: the agent's, or the runtime's own. Sometimes the caller has the log wrong. */
function next({ logged: { agentSeq, offset }, flag, work }: SettledCall) {
  const after = agentSeq + offset + (work === 2 ? 0 : Number(flag));
  const then = flag ? { agentSeq, offset: offset + 1 } : { agentSeq: agentSeq + 1, offset };
  return {
    ...then,
    after,
    entries: [{ first: after + 1, last: after + 1, frames: Buffer.from(`event ${after + 1}\n`) }],
  };
}

async function adoptRequest({ conversations }: State, call: SettledCall) {
  const now = await conversations.now();
  return {
    tenant: tenant(call.tenant),
    conversation: conversation(call.conversation),
    container: call.container,
    manager: 'docker',
    createdAt: now - 60_000,
    claimedAt: now - call.lease * 1_000,
    savedVersion: call.flag ? 'v0' : null,
    executions: call.executes ? [execution(call.execution)] : [],
    executionSeconds: 60,
    ttl: TTL,
  };
}

async function look(state: State, call: SettledCall): Promise<unknown> {
  const { conversations, executions, warmPool } = state;
  const of = { tenant: tenant(call.tenant), conversation: conversation(call.conversation) };
  const name = { ...of, execution: execution(call.execution) };
  const all = await conversations.scan(undefined, 1_000);
  return Promise.all([
    conversations.get(of.tenant, of.conversation),
    conversations.findByContainer(call.container),
    conversations.workInFlight(call.container),
    conversations.places([call.container]),
    conversations.list(of.tenant, { limit: 2 }),
    conversations.list(of.tenant, { limit: 2, status: 'idle' }),
    conversations.due(3),
    conversations.count(),
    conversations.now(),
    all.records.map((record) => record.container).sort(),
    executions.get(name),
    executions.list(of.tenant, of.conversation, 2),
    executions.read(name, 1, 20),
    executions.withoutRelay(3),
    executions.countRunning(),
    warmPool.look(),
  ]);
}

function refusal(error: unknown): unknown {
  if (isBerthError(error, 'INTERNAL')) return { refused: error.detail };
  throw error;
}
