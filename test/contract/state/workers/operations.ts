import fc from 'fast-check';
import { INSTANCE_SILENT_SECONDS } from '../../../../runtime/state/worker-store.ts';

const KINDS = [
  'reserve',
  'ready',
  'acquire',
  'release',
  'take',
  'park',
  'evict',
  'retire',
  'gone',
  'beat',
  'takeOver',
  'adopt',
  'look',
] as const;

export type WorkerKind = (typeof KINDS)[number];

export interface WorkerCall {
  kind: WorkerKind;
  /** Of a call without a worker that makes sense, or with a new one. */
  of: string;
  revision: string;
  instance: string;
  /** Among those that it may name. */
  pick: number;
  /** Whether it names a worker that fits, the lease that holds it, its revision, and since when it is so. */
  aims: boolean;
  rightLease: boolean;
  rightRevision: boolean;
  rightSince: boolean;
  seconds: number;
  keep: number;
}

export type WorkerOperation = { kind: 'wait'; seconds: number } | { kind: 'lose' } | WorkerCall;

const mostly = fc.constantFrom(true, true, true, true, true, true, true, false);

function call(...kinds: WorkerKind[]): fc.Arbitrary<WorkerCall> {
  return fc.record({
    kind: fc.constantFrom(...kinds),
    of: fc.constantFrom('acme:f', 'acme:f', 'acme:f', 'acme:g', 'other:f'),
    revision: fc.constantFrom('r1', 'r1', 'r1', 'r1', 'r2'),
    instance: fc.constantFrom('i1', 'i1', 'i2', 'i3'),
    pick: fc.nat(6),
    aims: mostly,
    rightLease: fc.constantFrom(true, true, true, false),
    rightRevision: fc.constantFrom(true, true, true, false),
    rightSince: mostly,
    seconds: fc.constantFrom(10, 30, 120),
    keep: fc.constantFrom(0, 0, 1, 2),
  });
}

const one = (...kinds: WorkerKind[]): fc.Arbitrary<WorkerOperation[]> => call(...kinds).map((made) => [made]);

/** Steps that lead somewhere, so that most runs get that far. */
const steps = (...kinds: [WorkerKind, ...WorkerKind[]]): fc.Arbitrary<WorkerOperation[]> =>
  call(kinds[0]).map((first) => kinds.map((kind) => ({ ...first, kind, aims: true, rightLease: true })));

/** Its lease ends in that very moment, or its instance has been silent for so long; then the store knows nothing more. */
const edges: fc.Arbitrary<WorkerOperation[]> = fc.oneof(
  fc.tuple(call('acquire'), call('release', 'park', 'evict')).map(([first, then]): WorkerOperation[] => [
    { ...first, aims: true, rightLease: true, rightRevision: true },
    { kind: 'wait', seconds: first.seconds },
    { ...then, aims: true, rightLease: true },
  ]),
  fc
    .tuple(call('reserve'), call('takeOver'))
    .map(([first, then]): WorkerOperation[] => [
      { ...first, seconds: 120 },
      { kind: 'wait', seconds: INSTANCE_SILENT_SECONDS },
      then,
    ]),
  fc
    .tuple(call('reserve'), call('evict', 'ready'))
    .map(([first, then]): WorkerOperation[] => [
      first,
      { ...then, aims: true, rightLease: true },
      { kind: 'lose' },
      { ...first, kind: 'beat', aims: true },
    ]),
);

const wait = fc
  .constantFrom(1, 1, 1, 4, 5, 9, 10, 14, 15, 30, 120)
  .map((seconds): WorkerOperation[] => [{ kind: 'wait', seconds }]);

/** Calls of several instances for workers of a few functions, in any order, with time passing between them. */
export const workerOperations: fc.Arbitrary<WorkerOperation[]> = fc
  .array(
    fc.oneof(
      { weight: 16, arbitrary: steps('reserve', 'ready') },
      { weight: 3, arbitrary: steps('take', 'park') },
      { weight: 4, arbitrary: steps('acquire', 'release') },
      { weight: 3, arbitrary: steps('acquire', 'evict', 'gone') },
      { weight: 2, arbitrary: steps('retire', 'gone') },
      { weight: 6, arbitrary: edges },
      { weight: 6, arbitrary: one('reserve', 'ready') },
      { weight: 18, arbitrary: one('acquire') },
      { weight: 8, arbitrary: one('release') },
      { weight: 10, arbitrary: one('take', 'park', 'evict', 'retire', 'gone') },
      { weight: 9, arbitrary: one('beat', 'takeOver') },
      { weight: 4, arbitrary: one('adopt', 'look') },
      { weight: 5, arbitrary: wait },
    ),
    { minLength: 5, maxLength: 50, size: 'max' },
  )
  .map((parts) => parts.flat());
