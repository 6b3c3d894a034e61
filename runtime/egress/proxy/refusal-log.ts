/** Takes a line of the log. No line has a header's value, a query or a body in it. */
export type EgressLog = (line: { level: 'info' | 'warn'; message: string } & Record<string, unknown>) => void;

/** The message of a line that tells of one refusal. */
export const REFUSED = 'egress refused';

const LINES_A_SECOND = 20;

/** Writes a few lines a second; of the rest it tells how many there were. */
export class RefusalLog {
  readonly #container: string;
  readonly #log: EgressLog;
  #written = 0;
  #leftOut = 0;
  #window: NodeJS.Timeout | undefined;

  constructor(container: string, log: EgressLog) {
    this.#container = container;
    this.#log = log;
  }

  write(line: Record<string, unknown>): void {
    this.#window ??= setTimeout(() => this.flush(), 1000).unref();
    if (this.#written >= LINES_A_SECOND) {
      this.#leftOut += 1;
      return;
    }
    this.#written += 1;
    this.#log({ level: 'warn', message: REFUSED, container_id: this.#container, ...line });
  }

  /** Begins a new second. */
  flush(): void {
    clearTimeout(this.#window);
    this.#window = undefined;
    this.#written = 0;
    if (this.#leftOut === 0) return;
    this.#log({
      level: 'warn',
      message: 'egress refused more than is logged',
      container_id: this.#container,
      left_out: this.#leftOut,
    });
    this.#leftOut = 0;
  }
}
