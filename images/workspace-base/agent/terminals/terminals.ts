import { Problem } from '../problem.ts';
import type { KeptTerminal } from './kept-terminal.ts';

const MAX_TERMINALS = 16;
/** Who comes back late still gets the rest, and how it ended. */
const KEPT_MS = 5 * 60 * 1000;

/** The terminals of this sandbox, and for a while those that have ended. */
export class Terminals {
  readonly #all = new Map<string, KeptTerminal>();
  #starting = 0;

  list(): KeptTerminal[] {
    return [...this.#all.values()];
  }

  find(id: string): KeptTerminal {
    const terminal = this.#all.get(id);
    if (terminal === undefined) throw new Problem('TERMINAL_NOT_FOUND', 'there is no such terminal');
    return terminal;
  }

  /** One that has ended makes room for it. */
  async add(id: string, start: () => Promise<KeptTerminal>): Promise<KeptTerminal> {
    if (this.#all.has(id)) throw new Problem('INVALID_REQUEST', 'there is a terminal of this id');
    if (this.#all.size + this.#starting >= MAX_TERMINALS) this.#dropEnded();
    if (this.#all.size + this.#starting >= MAX_TERMINALS)
      throw new Problem('TOO_MANY_TERMINALS', `there are ${MAX_TERMINALS} terminals: end one first`);
    this.#starting += 1;
    try {
      const terminal = await start();
      this.#all.set(id, terminal);
      void terminal.ended.then(() => setTimeout(() => this.#all.delete(id), KEPT_MS).unref());
      return terminal;
    } finally {
      this.#starting -= 1;
    }
  }

  async end(id: string): Promise<void> {
    await this.find(id).end();
    this.#all.delete(id);
  }

  #dropEnded(): void {
    const ended = this.list().find(({ isOver }) => isOver);
    if (ended !== undefined) this.#all.delete(ended.view.terminal_id);
  }
}
