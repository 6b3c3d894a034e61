/**
 * Does the work for each item, `limit` at a time. The first failure aborts the rest, and is thrown only when none of
 * them goes on.
 */
export async function atATime<Item>(
  limit: number,
  items: Iterable<Item>,
  signal: AbortSignal,
  work: (item: Item, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const failure = new AbortController();
  const either = AbortSignal.any([signal, failure.signal]);
  const left = Array.from(items).values();
  const workThrough = async () => {
    try {
      for (const item of left) {
        either.throwIfAborted();
        await work(item, either);
      }
    } catch (error) {
      failure.abort(error);
    }
  };
  await Promise.all(Array.from({ length: limit }, workThrough));
  failure.signal.throwIfAborted();
}
