import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { brokenByChange, brokenInvariants, refuses } from './invariants.ts';
import type { Operation } from './operations.ts';
import { perform } from './perform.ts';
import { Naming, type SettledCall } from './settle-call.ts';
import type { StateDump } from './state-dump.ts';
import type { StateUnderTest } from './state-under-test.ts';

/**
 * Carries out operations on states that share a clock. After each call: all answer the same and hold the
 * same; the invariants hold; a refusal changed nothing; and the same call again answers the same and
 * changes nothing.
 */
export async function checkOperations(
  operations: Operation[],
  states: [StateUnderTest, ...StateUnderTest[]],
): Promise<void> {
  const [{ clock }] = states;
  const naming = new Naming();
  const leftThePool = new Set<string>();
  let before = await states[0].dump();
  for (const operation of operations) {
    if (operation.kind === 'wait') {
      clock.advance(operation.seconds);
      before = await states[0].dump();
      continue;
    }
    const call = naming.settle(operation, before);
    const answers = await Promise.all(states.map(({ state }) => perform(state, call)));
    const dumps = await Promise.all(states.map(({ dump }) => dump()));
    const [answer, after] = [answers[0], dumps[0] ?? before];

    for (const other of answers) expectSame(other, answer, 'all answer the same');
    for (const other of dumps) expectSame(other, after, 'all hold the same');
    const now = clock.now();
    for (const id of before.warm) if (!after.warm.includes(id)) leftThePool.add(id);
    const back = after.warm.filter((id) => leftThePool.has(id));
    expectSame(
      [...brokenInvariants(after, now), ...brokenByChange(call, before, after, now), ...back],
      [],
      'nothing breaks',
    );
    if (refuses(call, answer)) expectSame(after, before, 'a refusal changes nothing');
    await checkRepeat(call, answer, after, states);
    before = after;
  }
}

async function checkRepeat(
  call: SettledCall,
  answer: unknown,
  after: StateDump,
  states: StateUnderTest[],
): Promise<void> {
  for (const { state, dump } of states) {
    const again = await perform(state, call);
    if (begins(call, answer)) expect(again, 'begun already').toMatchObject({ kind: 'known' });
    else if (ends(call, answer)) expect(again, 'over already').toBe('stale');
    else expectSame(again, answer, 'a repeat answers the same');
    expectSame(await dump(), after, 'a repeat changes nothing');
  }
}

/** Of an execution that is begun, or over, a repeat says so. */
function begins(call: SettledCall, answer: unknown): boolean {
  const live = typeof answer === 'object' && answer !== null && 'kind' in answer && answer.kind === 'live';
  return call.kind === 'acquire' && call.executes && live;
}

function ends(call: SettledCall, answer: unknown): boolean {
  return (call.kind === 'finish' || call.kind === 'abandon') && answer === 'done';
}

/** `expect` takes most of the time of a run; it is asked only to tell the difference. */
function expectSame(actual: unknown, expected: unknown, promise: string): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual, promise).toEqual(expected);
}
