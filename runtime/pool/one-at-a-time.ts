/** Runs something never twice at once. Asked for while it runs, however often, it runs once more after. */
export class OneAtATime {
  readonly #act: () => Promise<void>;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(act: () => Promise<void>) {
    this.#act = act;
  }

  /** Resolves, or fails, with a run that began after this call. */
  run(): Promise<void> {
    if (this.#running === undefined && this.#next === undefined) return this.#begin();
    this.#next ??= (this.#running ?? Promise.resolve()).catch(() => undefined).then(() => this.#begin());
    return this.#next;
  }

  #begin(): Promise<void> {
    this.#next = undefined;
    const running = this.#act().finally(() => {
      this.#running = undefined;
    });
    this.#running = running;
    return running;
  }
}
