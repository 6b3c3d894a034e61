/** Acts on each, `width` at a time. What `act` throws ends it once those under way are through. */
export async function sideBySide<T>(
  width: number,
  items: Iterable<T> | AsyncIterable<T>,
  act: (item: T) => Promise<void>,
): Promise<void> {
  const left = each(items);
  const take = async () => {
    for await (const item of left) await act(item);
  };
  await Promise.all(Array.from({ length: width }, take));
}

async function* each<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T> {
  yield* items;
}
