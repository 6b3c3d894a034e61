/** What something looked like, and when: eventually consistent reads look a while back. */
export class PastViews<T> {
  readonly #views: { readonly since: number; readonly view: T }[] = [];
  readonly #keepMs: number;

  /** `keepMs`: how far back anyone looks. */
  constructor(keepMs: number) {
    this.#keepMs = keepMs;
  }

  add(since: number, view: T): void {
    const lastUnread = this.#views.findLastIndex((past) => past.since <= since - this.#keepMs);
    if (lastUnread > 0) this.#views.splice(0, lastUnread);
    this.#views.push({ since, view });
  }

  /** Undefined: there was nothing to see yet. */
  at(time: number): T | undefined {
    return this.#views.findLast(({ since }) => since <= time)?.view;
  }
}
