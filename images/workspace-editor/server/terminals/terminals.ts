import { Problem } from '../problem.ts';
import { findShell, shellEnvironment } from './shell.ts';
import type { Terminal, TerminalSize } from './terminal.ts';

const MAX_TERMINALS = 16;

/** The terminals of this workspace, ended ones too until someone closes them. */
export class Terminals {
  readonly #home: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #all = new Map<string, Terminal>();
  #opened = 0;

  constructor(home: string, env: NodeJS.ProcessEnv) {
    this.#home = home;
    this.#env = env;
  }

  list(): readonly Terminal[] {
    return [...this.#all.values()];
  }

  find(id: string | null): Terminal {
    const terminal = this.#all.get(id ?? '');
    if (terminal === undefined) throw new Problem('NOT_FOUND', 'This terminal is gone.');
    return terminal;
  }

  async open(size: TerminalSize): Promise<Terminal> {
    const { Terminal } = await import('./terminal.ts');
    if (this.#all.size >= MAX_TERMINALS)
      throw new Problem('TOO_MANY', `There are ${MAX_TERMINALS} terminals; close one first.`);
    const terminal = new Terminal({
      ...size,
      id: globalThis.crypto.randomUUID(),
      number: ++this.#opened,
      command: [findShell(this.#env)],
      folder: this.#home,
      env: shellEnvironment(this.#env, this.#home),
    });
    this.#all.set(terminal.id, terminal);
    return terminal;
  }

  async close(id: string | null): Promise<void> {
    const terminal = this.find(id);
    await terminal.close();
    this.#all.delete(terminal.id);
  }

  async closeAll(): Promise<void> {
    await Promise.all(this.list().map((terminal) => terminal.close()));
    this.#all.clear();
  }
}
