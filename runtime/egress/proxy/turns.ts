/** Something that has more to do than fits in one turn. */
export interface Waiting {
  goOn(): void;
}

/** Milliseconds that one owner's requests may take of each turn of the event loop. */
const SHARE_MS = 2;

/**
 * Divides the process's time: in one turn of the event loop every owner gets its share, and what is left of its work
 * waits for the next turn, behind everybody else's reads and writes.
 */
class Turns {
  #spent = new Map<object, number>();
  #waiting = new Map<object, Waiting[]>();
  #next: NodeJS.Immediate | undefined;

  hasTime(owner: object): boolean {
    return (this.#spent.get(owner) ?? 0) < SHARE_MS;
  }

  spend(owner: object, ms: number): void {
    this.#spent.set(owner, (this.#spent.get(owner) ?? 0) + ms);
    this.#next ??= setImmediate(() => this.#begin());
  }

  wait(owner: object, waiting: Waiting): void {
    const line = this.#waiting.get(owner);
    if (line) line.push(waiting);
    else this.#waiting.set(owner, [waiting]);
    this.#next ??= setImmediate(() => this.#begin());
  }

  #begin(): void {
    this.#next = undefined;
    this.#spent = new Map();
    const lines = this.#waiting;
    this.#waiting = new Map();
    for (const [owner, line] of lines) {
      let at = 0;
      while (at < line.length && this.hasTime(owner)) line[at++]?.goOn();
      const left = line.slice(at);
      // Whoever had its turn and is not done stands behind them.
      if (left.length > 0) this.#waiting.set(owner, [...left, ...(this.#waiting.get(owner) ?? [])]);
    }
    if (this.#waiting.size > 0) this.#next ??= setImmediate(() => this.#begin());
  }
}

/** One for the process: all its listeners share the one event loop. */
export const turns = new Turns();
