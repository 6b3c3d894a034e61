import type { Logger } from 'pino';

/** Runs something again and again: with jitter, never twice at once, and at once when woken. */
export class Loop {
  readonly #name: string;
  readonly #runOnce: () => Promise<void>;
  readonly #intervalMs: number;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> | undefined;
  #stopped = false;

  constructor(options: { name: string; intervalSeconds: number; log: Logger; runOnce: () => Promise<void> }) {
    this.#name = options.name;
    this.#runOnce = options.runOnce;
    this.#intervalMs = options.intervalSeconds * 1000;
    this.#log = options.log;
  }

  start(): void {
    this.#schedule();
  }

  /** The turn under way is waited for. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#turn;
  }

  #schedule(): void {
    if (this.#stopped) return;
    const jittered = this.#intervalMs * (0.9 + Math.random() * 0.2);
    this.#timer = setTimeout(() => {
      this.#turn = this.#runOnce()
        .catch((error) => this.#log.error({ err: error, loop: this.#name }, 'a turn of the loop failed'))
        .finally(() => this.#schedule());
    }, jittered);
    this.#timer.unref();
  }
}
