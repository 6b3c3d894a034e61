/** Gives the headings of one page their ids, as GitHub does, so that a link to one is right in both places. */
export class HeadingIds {
  readonly #given = new Map<string, number>();

  next(heading: string): string {
    const id = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-');
    const before = this.#given.get(id) ?? 0;
    this.#given.set(id, before + 1);
    return before === 0 ? id : `${id}-${before}`;
  }
}
