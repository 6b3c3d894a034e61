import fc from 'fast-check';
import type { DrainReason } from '../../../runtime/contracts/conversation-record.ts';
import { LAPSED_WORK_KEPT_MS } from '../../../runtime/state/store-limits.ts';
import { TTL } from './scenario.ts';

/**
 * Which container a call names: its conversation's, a new one, one that is being stopped, a member of the pool, a
 * place where one starts, or any.
 */
export type Which = 'current' | 'new' | 'stopping' | 'warm' | 'starting' | number;

const KINDS = {
  conversation: [
    'renewPreparation',
    'bind',
    'exchange',
    'confirm',
    'beginWork',
    'renewWork',
    'endWork',
    'drain',
    'remove',
  ],
  files: ['saved', 'postpone'],
  relay: ['takeRelay', 'renewRelay', 'append', 'append', 'append', 'leaveRelay', 'finish', 'abandon'],
  pool: ['reserveMember', 'renewMember', 'addMember', 'removeMember', 'discardWarm'],
  others: ['acquire', 'release', 'adopt', 'reserveUnknown', 'look'],
} as const;

type Kind = (typeof KINDS)[keyof typeof KINDS][number];

export function isRelayKind(kind: Kind): boolean {
  return KINDS.relay.some((one) => one === kind);
}

export interface Call {
  kind: Kind;
  tenant: string;
  conversation: string;
  which: Which;
  owner: string;
  work: number;
  /** Of an acquire: whether it is for the execution; of a call about executions: which. */
  execution: number;
  executes: boolean;
  lease: number;
  /** Idle only, quiet, or one more event of the runtime's own, as the call goes. */
  flag: boolean;
  reason: DrainReason;
}

export type Operation = { kind: 'wait'; seconds: number } | Call;

/** A call of one of these kinds, which mostly names the container that makes sense. */
function call(which: Which, kinds: readonly Kind[]): fc.Arbitrary<Call> {
  const anyOther = fc.integer({ min: 1, max: 8 });
  return fc.record({
    kind: fc.constantFrom(...kinds),
    tenant: fc.constantFrom('acme', 'other'),
    conversation: fc.constantFrom('c1', 'c2'),
    which: fc.oneof({ weight: 12, arbitrary: fc.constant(which) }, { weight: 1, arbitrary: anyOther }),
    owner: fc.constantFrom('ann', 'ann', 'ann', 'ann', 'ann', 'ann', 'ann', 'bob'),
    work: fc.integer({ min: 1, max: 2 }),
    execution: fc.constantFrom(1, 1, 1, 2, 3),
    executes: fc.boolean(),
    lease: fc.constantFrom(10, 30, 120),
    flag: fc.boolean(),
    reason: fc.constantFrom<DrainReason>('purged', 'deleted', 'expired', 'unhealthy'),
  });
}

const one = (which: Which, kinds: readonly Kind[]): fc.Arbitrary<Operation[]> =>
  call(which, kinds).map((made) => [made]);

/** Steps that lead somewhere, so that most runs get that far: each is the first with another kind and container. */
function steps(which: Which, ...rest: [Kind, Which][]): (first: Call) => Operation[] {
  return (first) => [{ ...first, which }, ...rest.map(([kind, which]): Call => ({ ...first, kind, which }))];
}

const start = call('new', ['acquire']).map(
  steps('new', ['bind', 'current'], ['confirm', 'current'], ['beginWork', 'current']),
);
const execute = call('new', ['acquire']).map((first) =>
  steps(
    'new',
    ['confirm', 'current'],
    ['acquire', 'new'],
    ['append', 'current'],
  )({ ...first, executes: true }),
);
const exchange = call('new', ['acquire']).map(
  steps('new', ['reserveMember', 'new'], ['addMember', 'starting'], ['exchange', 'current']),
);
const refill = call('new', ['reserveMember']).map(steps('new', ['addMember', 'starting']));

const wait = fc
  .constantFrom(
    ...[1, 1, 1, 9, 10, 29, 30, 31, 120, TTL.idleSeconds, LAPSED_WORK_KEPT_MS / 1_000 + 10],
    ...[TTL.maxLifetimeSeconds, 86_400],
  )
  .map((seconds): Operation[] => [{ kind: 'wait', seconds }]);

/** Calls of several owners on a few conversations, in any order, with time passing between them. */
export const operations: fc.Arbitrary<Operation[]> = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: start },
      { weight: 3, arbitrary: execute },
      { weight: 2, arbitrary: refill },
      { weight: 2, arbitrary: exchange },
      { weight: 4, arbitrary: one('new', ['acquire']) },
      { weight: 14, arbitrary: one('current', KINDS.conversation) },
      { weight: 2, arbitrary: one('current', KINDS.files) },
      { weight: 8, arbitrary: one('current', KINDS.relay) },
      { weight: 2, arbitrary: one('stopping', ['release', 'remove', 'removeMember', 'adopt']) },
      { weight: 1, arbitrary: one('new', ['reserveMember', 'adopt', 'reserveUnknown']) },
      { weight: 2, arbitrary: one('starting', ['renewMember', 'addMember', 'release', 'adopt']) },
      { weight: 2, arbitrary: one('warm', ['removeMember', 'addMember', 'adopt', 'reserveUnknown']) },
      { weight: 1, arbitrary: one('current', ['adopt', 'reserveUnknown', 'discardWarm']) },
      { weight: 2, arbitrary: one('current', ['look']) },
      { weight: 4, arbitrary: wait },
    ),
    { minLength: 5, maxLength: 50, size: 'max' },
  )
  .map((parts) => parts.flat());
