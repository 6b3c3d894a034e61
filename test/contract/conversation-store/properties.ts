import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { brokenByChange, brokenInvariants, refuses } from './invariants.ts';
import { Naming, type Operation, perform } from './operations.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/**
 * Carries out operations on stores that share a clock. After each call: all answer the same and hold the
 * same; the invariants hold; a refusal changed nothing; and the same call again answers the same and
 * changes nothing.
 */
export async function checkOperations(
  operations: Operation[],
  stores: [StoreUnderTest, ...StoreUnderTest[]],
): Promise<void> {
  const [{ clock }] = stores;
  const naming = new Naming();
  let before = await stores[0].dump();
  for (const operation of operations) {
    if (operation.kind === 'wait') {
      clock.advance(operation.seconds);
      continue;
    }
    const container = naming.containerOf(operation, before);
    const answers = await Promise.all(stores.map(({ store }) => perform(store, operation, container)));
    const states = await Promise.all(stores.map(({ dump }) => dump()));
    const [answer, after] = [answers[0], states[0] ?? before];

    for (const other of answers) expectSame(other, answer, 'the stores answer the same');
    for (const other of states) expectSame(other, after, 'the stores hold the same');
    expectSame(
      [...brokenInvariants(after), ...brokenByChange(before, after, clock.now())],
      [],
      'nothing breaks',
    );
    if (refuses(answer)) expectSame(after, before, 'a refusal changes nothing');

    for (const { store, dump } of stores) {
      expectSame(await perform(store, operation, container), answer, 'a repeat answers the same');
      expectSame(await dump(), after, 'a repeat changes nothing');
    }
    before = after;
  }
}

/** `expect` takes most of the time of a run; it is asked only to tell the difference. */
function expectSame(actual: unknown, expected: unknown, promise: string): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual, promise).toEqual(expected);
}
