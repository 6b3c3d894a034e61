/** Does something for each, so many at a time. The first that fails ends it; what is under way is waited for. */
export async function inParallel<Item>(
  items: readonly Item[],
  most: number,
  act: (item: Item) => Promise<void>,
): Promise<void> {
  const left = [...items];
  let failed = false;
  const worker = async () => {
    for (let item = left.shift(); item !== undefined && !failed; item = left.shift()) {
      try {
        await act(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: most }, worker));
  for (const each of ended) if (each.status === 'rejected') throw each.reason;
}
