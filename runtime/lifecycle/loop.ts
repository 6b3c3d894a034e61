import type { Logger } from 'pino';

/** Runs something again and again: with jitter, and never twice at once. */
export class Loop {
  readonly #name: string;
  readonly #runOnce: () => Promise<unknown>;
  readonly #intervalMs: number;
  readonly #firstMs: number;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> | undefined;
  #stopped = false;
  #wanted = false;

  constructor(options: {
    name: string;
    intervalSeconds: number;
    /** When the first turn comes; else after an interval. */
    firstSeconds?: number;
    log: Logger;
    /** May answer in how many seconds it wants its next turn. */
    runOnce: () => Promise<unknown>;
  }) {
    this.#name = options.name;
    this.#runOnce = options.runOnce;
    this.#intervalMs = options.intervalSeconds * 1000;
    this.#firstMs = (options.firstSeconds ?? options.intervalSeconds) * 1000;
    this.#log = options.log;
  }

  start(): void {
    this.#schedule(this.#firstMs);
  }

  /** The next turn comes at once; one under way may have missed what this is about, so another follows it. */
  wake(): void {
    this.#wanted = true;
    if (this.#turn === undefined) this.#schedule(0);
  }

  /** The turn under way is waited for. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#turn;
  }

  #schedule(ms: number): void {
    if (this.#stopped) return;
    clearTimeout(this.#timer);
    const jittered = ms * (0.9 + Math.random() * 0.2);
    this.#timer = setTimeout(() => {
      this.#wanted = false;
      this.#turn = this.#takeTurn().then((next) => {
        this.#turn = undefined;
        this.#schedule(this.#wanted ? 0 : next);
      });
    }, jittered);
    this.#timer.unref();
  }

  async #takeTurn(): Promise<number> {
    try {
      const seconds = await this.#runOnce();
      return typeof seconds === 'number' ? seconds * 1000 : this.#intervalMs;
    } catch (error) {
      this.#log.error({ err: error, loop: this.#name }, 'a turn of the loop failed');
      return this.#intervalMs;
    }
  }
}
