import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { StateUnderTest } from '../state-under-test.ts';
import { LeaseHistory } from './lease-history.ts';
import type { WorkerOperation } from './operations.ts';
import { performWorkerCall } from './perform-worker-call.ts';
import { type SettledWorkerCall, WorkerNaming } from './settle-worker-call.ts';
import { brokenByChange, brokenInvariants, refuses } from './worker-invariants.ts';
import type { WorkersDump } from './workers-dump.ts';

/**
 * Carries out operations on stores that share a clock. After each call: all answer the same and hold the same; the
 * invariants hold; a refusal changed nothing; and the same call again changes nothing.
 */
export async function checkWorkerOperations(
  operations: WorkerOperation[],
  stores: [StateUnderTest, ...StateUnderTest[]],
): Promise<void> {
  const [{ clock }] = stores;
  const [naming, leases] = [new WorkerNaming(), new LeaseHistory()];
  let before = await stores[0].dumpWorkers();
  for (const operation of operations) {
    if (operation.kind === 'wait') clock.advance(operation.seconds);
    if (operation.kind === 'lose') {
      naming.lose(before);
      await Promise.all(stores.map((store) => store.loseWorkers()));
    }
    if (operation.kind === 'wait' || operation.kind === 'lose') {
      before = await stores[0].dumpWorkers();
      continue;
    }
    const call = naming.settle(operation, before, clock.now());
    const answers = await Promise.all(stores.map(({ state }) => performWorkerCall(state.workers, call)));
    const dumps = await Promise.all(stores.map(({ dumpWorkers }) => dumpWorkers()));
    const [answer, after] = [answers[0], dumps[0] ?? before];

    for (const other of answers) expectSame(other, answer, `all answer the same: ${call.kind}`);
    for (const other of dumps) expectSame(other, after, `all hold the same: ${call.kind}`);
    expectSame(
      [
        ...brokenInvariants(after),
        ...brokenByChange(call, before, after, clock.now()),
        ...leases.note(call, answer, before, clock.now()),
        ...leases.resurrected(after),
      ],
      [],
      `nothing breaks: ${call.kind}`,
    );
    if (refuses(answer)) {
      expectSame({ ...after, waiting: {} }, { ...before, waiting: {} }, 'a refusal changes nothing');
    }
    await checkRepeat(call, answer, after, stores);
    before = after;
  }
}

async function checkRepeat(
  call: SettledWorkerCall,
  answer: unknown,
  after: WorkersDump,
  stores: StateUnderTest[],
): Promise<void> {
  for (const { state, dumpWorkers } of stores) {
    const again = await performWorkerCall(state.workers, call);
    expectSame(again, repeated(call, answer), `a repeat says so: ${call.kind}`);
    expectSame(await dumpWorkers(), after, `a repeat changes nothing: ${call.kind}`);
  }
}

/** What the same call answers again: who gave up a worker does not have it any more, and is told once what to end. */
function repeated({ kind }: SettledWorkerCall, answer: unknown): unknown {
  if (answer === 'done' && ['ready', 'park', 'adopt'].includes(kind)) return 'stale';
  if (answer === 'idle') return 'stale';
  return kind === 'acquire' && typeof answer === 'object' ? { ...answer, retired: [] } : answer;
}

/** `expect` takes most of the time of a run; it is asked only to tell the difference. */
function expectSame(actual: unknown, expected: unknown, promise: string): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual, promise).toEqual(expected);
}
