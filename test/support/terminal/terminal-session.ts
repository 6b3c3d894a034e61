import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const AT_TERMINAL = fileURLToPath(new URL('./at-terminal.py', import.meta.url));

export interface TerminalOptions {
  env: Record<string, string | undefined>;
  cwd?: string;
  columns?: number;
  rows?: number;
}

/** A program at a real terminal: what it shows there, and someone who types. */
export class TerminalSession implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number>;
  #shown = '';

  constructor(command: readonly string[], { env, cwd, columns = 100, rows = 30 }: TerminalOptions) {
    this.#child = spawn('python3', [AT_TERMINAL, String(columns), String(rows), ...command], {
      cwd,
      env: { PATH: process.env.PATH, TERM: 'xterm-256color', ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#shown += text;
    });
    this.#child.stdin?.on('error', () => undefined); // it may be over when something is typed
    this.#ended = once(this.#child, 'close').then(([code]) => code ?? -1);
  }

  /** Everything that was shown, with what steers a terminal. */
  get shown(): string {
    return this.#shown;
  }

  /** The program's exit code, once it is over. */
  get ended(): Promise<number> {
    return this.#ended;
  }

  get isOver(): boolean {
    return this.#child.exitCode !== null;
  }

  type(text: string): void {
    this.#child.stdin?.write(text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.isOver) this.#child.kill('SIGKILL');
    await this.#ended;
  }
}
