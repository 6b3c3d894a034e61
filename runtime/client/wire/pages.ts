interface Page<Item> {
  items: Item[];
  next: string | null;
}

/** Everything of a list, a page at a time, as it is read. */
export async function* pages<Item>(
  page: (cursor: string | undefined) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { items, next } = await page(cursor);
    yield* items;
    cursor = next;
  }
}
