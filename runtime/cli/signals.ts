import { constants } from 'node:os';

/** Ctrl-C under npm comes twice: from the terminal, and handed on by npm. */
const SAME_SIGNAL_MS = 500;

/** The first signal asks to stop; a second, later one leaves at once. */
export class Signals implements Disposable {
  readonly #listener: (signal: NodeJS.Signals) => void;
  readonly #names: readonly NodeJS.Signals[];
  #first: { signal: NodeJS.Signals; at: number } | undefined;

  constructor(
    names: readonly NodeJS.Signals[],
    onFirst: (signal: NodeJS.Signals) => void,
    leave: (signal: NodeJS.Signals) => void,
  ) {
    this.#names = names;
    this.#listener = (signal) => {
      if (this.#first === undefined) {
        this.#first = { signal, at: performance.now() };
        onFirst(signal);
      } else if (performance.now() - this.#first.at > SAME_SIGNAL_MS) leave(signal);
    };
    for (const name of names) process.on(name, this.#listener);
  }

  /** The code to end with once a signal has come: 130 after Ctrl-C. */
  get exitCode(): number | undefined {
    return this.#first === undefined ? undefined : signalExitCode(this.#first.signal);
  }

  [Symbol.dispose](): void {
    for (const name of this.#names) process.off(name, this.#listener);
  }
}

/** As shells count it. */
export function signalExitCode(signal: string): number {
  const numbers: Readonly<Record<string, number>> = constants.signals;
  return 128 + (numbers[signal] ?? 0);
}
