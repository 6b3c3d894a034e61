import fc from 'fast-check';

const ENOUGH_MS = 8_000;
const SHRINKING_ENDS_MS = 20_000;

/** On a busy machine fewer runs have to do; only the search for a smaller failure takes longer. */
export async function checkAny<Value>(
  values: fc.Arbitrary<Value>,
  numRuns: number,
  property: (value: Value) => Promise<void>,
): Promise<void> {
  const enough = performance.now() + ENOUGH_MS;
  let failed = false;
  const run = async (value: Value) => {
    if (performance.now() > enough && !failed) return;
    await property(value).catch((error: unknown) => {
      failed = true;
      throw error;
    });
  };
  await fc.assert(fc.asyncProperty(values, run), { numRuns, interruptAfterTimeLimit: SHRINKING_ENDS_MS });
}
