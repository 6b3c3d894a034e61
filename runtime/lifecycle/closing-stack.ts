import type { Logger } from 'pino';

/** What must be closed, in the reverse order of its opening. One that fails doesn't keep the rest open. */
export class ClosingStack {
  readonly #entries: { name: string; close: () => unknown }[] = [];
  #closed: Promise<void> | undefined;

  add(name: string, close: () => unknown): void {
    this.#entries.push({ name, close });
  }

  /** Closes all, once; every caller waits for the same end. */
  close(log: Logger): Promise<void> {
    this.#closed ??= this.#closeAll(log);
    return this.#closed;
  }

  async #closeAll(log: Logger): Promise<void> {
    for (const { name, close } of this.#entries.reverse()) {
      try {
        await close();
      } catch (error) {
        log.error({ err: error }, `closing the ${name} failed`);
      }
    }
  }
}
