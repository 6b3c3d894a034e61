/** One thing at a time happens to a key, in the order it was asked for. */
export class KeyTurns {
  readonly #last = new Map<string, Promise<unknown>>();

  async run<T>(key: string, act: () => Promise<T>): Promise<T> {
    const mine = (this.#last.get(key) ?? Promise.resolve()).then(act, act);
    this.#last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }
}
