/** Tasks that go on beside everything else, at most so many at once. None of them rejects. */
export class UnderWay {
  readonly #most: number;
  readonly #tasks = new Set<Promise<void>>();

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#tasks.size;
  }

  /** How many more may be started. */
  get free(): number {
    return Math.max(0, this.#most - this.#tasks.size);
  }

  /** `onEnd` finds its place free again. */
  add<Result>(task: Promise<Result>, onEnd: (result: Result) => void): void {
    const tracked = task.then((result) => {
      this.#tasks.delete(tracked);
      onEnd(result);
    });
    this.#tasks.add(tracked);
  }

  /** Waits for those under way, and for what they lead to. */
  async settled(): Promise<void> {
    while (this.#tasks.size > 0) await Promise.all(this.#tasks);
  }
}
