import fc from 'fast-check';
import type { DrainReason } from '../../../runtime/contracts/conversation-record.ts';
import { isBerthError } from '../../../runtime/contracts/errors.ts';
import { type ContainerId, parseContainerId } from '../../../runtime/contracts/ids.ts';
import type { ConversationStore } from '../../../runtime/state/conversation-store.ts';
import { LAPSED_WORK_KEPT_MS } from '../../../runtime/state/store-limits.ts';
import { container, conversation, tenant, work } from './names.ts';
import { TTL } from './scenario.ts';
import type { StateDump } from './state-dump.ts';

export const MAX_CONTAINERS = 4;

/** Which container a call names: its conversation's, a new one, one without a record, or any. */
type Which = 'current' | 'new' | 'stopping' | number;

interface Arguments {
  tenant: string;
  conversation: string;
  which: Which;
  owner: string;
  work: number;
  lease: number;
  onlyIdle: boolean;
  reason: DrainReason;
}

export interface Call extends Arguments {
  kind:
    | 'acquire'
    | 'renewPreparation'
    | 'bind'
    | 'confirm'
    | 'beginWork'
    | 'renewWork'
    | 'endWork'
    | 'drain'
    | 'remove'
    | 'release'
    | 'look';
}

export type Operation = { kind: 'wait'; seconds: number } | Call;

/** A call of one of these kinds, which mostly names the container that makes sense. */
function call(which: Which, kinds: [Call['kind'], ...Call['kind'][]]): fc.Arbitrary<Operation[]> {
  const anyOther = fc.integer({ min: 1, max: 8 });
  return fc
    .record({
      kind: fc.constantFrom(...kinds),
      tenant: fc.constantFrom('acme', 'other'),
      conversation: fc.constantFrom('c1', 'c2'),
      which: fc.oneof({ weight: 12, arbitrary: fc.constant(which) }, { weight: 1, arbitrary: anyOther }),
      owner: fc.constantFrom('ann', 'ann', 'ann', 'ann', 'ann', 'ann', 'ann', 'bob'),
      work: fc.integer({ min: 1, max: 2 }),
      lease: fc.constantFrom(10, 30, 120),
      onlyIdle: fc.boolean(),
      reason: fc.constantFrom<DrainReason>('deleted', 'expired', 'unhealthy'),
    })
    .map((made) => [made]);
}

/** The steps that lead to a container with work on it, so that most runs get that far. */
const start = call('new', ['acquire']).map(([acquire]): Operation[] => {
  if (acquire === undefined || acquire.kind === 'wait') return [];
  const then = (kind: Call['kind']): Call => ({ ...acquire, kind, which: 'current' });
  return [acquire, then('bind'), then('confirm'), then('beginWork')];
});

const wait = fc
  .constantFrom(
    1,
    1,
    1,
    9,
    10,
    29,
    30,
    31,
    120,
    TTL.idleSeconds,
    LAPSED_WORK_KEPT_MS / 1_000 + 10,
    TTL.maxLifetimeSeconds,
  )
  .map((seconds): Operation[] => [{ kind: 'wait', seconds }]);

/** Calls of several owners on a few conversations, in any order, with time passing between them. */
export const operations: fc.Arbitrary<Operation[]> = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: start },
      { weight: 4, arbitrary: call('new', ['acquire']) },
      { weight: 4, arbitrary: call('current', ['renewPreparation', 'bind', 'confirm']) },
      { weight: 8, arbitrary: call('current', ['beginWork', 'renewWork', 'endWork']) },
      { weight: 2, arbitrary: call('current', ['drain', 'remove']) },
      { weight: 2, arbitrary: call('stopping', ['release', 'remove']) },
      { weight: 2, arbitrary: call('current', ['look']) },
      { weight: 4, arbitrary: wait },
    ),
    { minLength: 5, maxLength: 50, size: 'max' },
  )
  .map((parts) => parts.flat());

/** Settles which container each call names, so that it can be made on two stores, and again. */
export class Naming {
  #made = 0;

  containerOf(call: Call, state: StateDump): ContainerId {
    if (call.which === 'new') return container(++this.#made);
    if (typeof call.which === 'number') return container(call.which);
    if (call.which === 'stopping') return stoppingIn(state) ?? container(0);
    return state.records[`${call.tenant}:${call.conversation}`]?.container ?? container(0);
  }
}

function stoppingIn(state: StateDump): ContainerId | undefined {
  const id = Object.keys(state.reserved).find((container) => !(container in state.reverse));
  return id === undefined ? undefined : parseContainerId(id);
}

/** Makes the call and gives its answer as a plain value; a refusal by exception is an answer as well. */
export async function perform(store: ConversationStore, call: Call, named: ContainerId): Promise<unknown> {
  const { owner, lease: leaseSeconds } = call;
  const incarnation = {
    tenant: tenant(call.tenant),
    conversation: conversation(call.conversation),
    container: named,
  };
  const working = { ...incarnation, work: work(call.work), leaseSeconds, ttl: TTL };
  switch (call.kind) {
    case 'acquire':
      return store
        .acquire({
          ...incarnation,
          newContainer: named,
          manager: 'docker',
          owner,
          leaseSeconds,
          maxContainers: MAX_CONTAINERS,
          work: { id: working.work, leaseSeconds, ttl: TTL },
          ...(call.tenant === 'other' ? { tenantLimit: 1 } : {}),
        })
        .catch(refusal);
    case 'renewPreparation':
      return store.renewPreparation({ ...incarnation, owner, leaseSeconds });
    case 'bind':
      return store.bind({ ...incarnation, owner, leaseSeconds });
    case 'confirm':
      return store.confirm({ ...incarnation, owner, ttl: TTL });
    case 'beginWork':
      return store.beginWork(working);
    case 'renewWork':
      return store.renewWork(working);
    case 'endWork':
      return store.endWork(working);
    case 'drain':
      return store.beginDrain({ ...incarnation, onlyIdle: call.onlyIdle, reason: call.reason, leaseSeconds });
    case 'remove':
      return store.remove({ ...incarnation, stopSeconds: leaseSeconds });
    case 'release':
      return store.release(named);
    case 'look':
      return Promise.all([
        store.get(incarnation.tenant, incarnation.conversation),
        store.findByContainer(named),
        store.workInFlight(named),
        store.list(incarnation.tenant, { limit: 2 }),
        store.list(incarnation.tenant, { limit: 2, status: 'idle' }),
        store.due(3),
        store.count(),
        store.now(),
      ]);
  }
}

function refusal(error: unknown): unknown {
  if (isBerthError(error, 'INTERNAL')) return { refused: error.detail };
  throw error;
}
