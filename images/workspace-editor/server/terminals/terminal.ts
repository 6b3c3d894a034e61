import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Scrollback } from './scrollback.ts';
import { Viewer, type ViewerConnection } from './viewer.ts';

/** With more than this undrawn at a page, the terminal is not read: a flood waits in the kernel. */
const MAX_PENDING = 256 * 1024;
/** A page that draws nothing for so long (asleep, in the background) is let go, and the terminal goes on. */
const MAX_SILENCE_MS = 10_000;
/** A page can't be asked to wait without its acknowledgements waiting too; more than this is dropped. */
const MAX_TYPED = 4 * 1024 * 1024;
const CLOSE_WITHIN_MS = 3000;

const program = fileURLToPath(new URL('./pty.py', import.meta.url));

export interface TerminalSize {
  readonly rows: number;
  readonly columns: number;
}

export interface TerminalOptions extends TerminalSize {
  readonly id: string;
  readonly number: number;
  readonly command: readonly string[];
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A command in a terminal, which lives with or without anyone who looks at it. */
export class Terminal {
  readonly id: string;
  readonly number: number;
  readonly #child: ChildProcess;
  readonly #typed: Writable;
  readonly #shown: Readable;
  readonly #sizes: Writable;
  readonly #scrollback = new Scrollback();
  readonly #viewers = new Set<Viewer>();
  #exitCode: number | undefined;
  #watchdog: NodeJS.Timeout | undefined;

  constructor({ id, number, command, folder, env, rows, columns }: TerminalOptions) {
    this.id = id;
    this.number = number;
    const child = spawn('python3', ['-I', '-S', program, `${rows}`, `${columns}`, ...command], {
      cwd: folder,
      env,
      stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
    });
    this.#child = child;
    // Pipes, as `stdio` says.
    [this.#typed, this.#shown, , this.#sizes] = child.stdio as unknown as [
      Writable,
      Readable,
      null,
      Writable,
    ];
    // A helper that has ended breaks its pipes; its end is told below.
    for (const pipe of [this.#typed, this.#sizes]) pipe.on('error', () => {});
    this.#shown.on('data', (chunk: Buffer) => this.#show(chunk));
    child.on('error', (error) => {
      const why = 'code' in error && error.code === 'ENOENT' ? 'there is no python3 here' : error.message;
      this.#show(Buffer.from(`No terminal: ${why}.\r\n`));
      this.#end(127);
    });
    child.on('close', (code, signal) => this.#end(code ?? (signal === 'SIGKILL' ? 137 : 1)));
  }

  /** The code that the command ended with, once it has. */
  get exitCode(): number | undefined {
    return this.#exitCode;
  }

  /** Shows what there was and what comes; the connection ends by `detach`. */
  attach(connection: ViewerConnection): Viewer {
    const viewer = new Viewer(connection, this.#scrollback.read(), Date.now());
    if (this.#exitCode === undefined) this.#viewers.add(viewer);
    else connection.sendExit(this.#exitCode);
    return viewer;
  }

  detach(viewer: Viewer): void {
    this.#viewers.delete(viewer);
    this.#flow();
  }

  drawn(viewer: Viewer, bytes: number): void {
    viewer.drawn(bytes, Date.now());
    this.#flow();
  }

  type(data: Buffer): void {
    if (this.#exitCode === undefined && this.#typed.writableLength < MAX_TYPED) this.#typed.write(data);
  }

  resize({ rows, columns }: TerminalSize): void {
    if (this.#exitCode === undefined) this.#sizes.write(`${rows} ${columns}\n`);
  }

  /** Hangs up; resolves once the command has ended. */
  async close(): Promise<void> {
    if (this.#exitCode !== undefined) return;
    const ended = new Promise((resolve) => this.#child.once('close', resolve));
    const force = setTimeout(() => this.#child.kill('SIGKILL'), CLOSE_WITHIN_MS);
    this.#typed.end();
    this.#sizes.end();
    // What nobody reads any more must not keep the helper from its end.
    for (const viewer of this.#viewers) viewer.connection.close('closed');
    this.#viewers.clear();
    this.#flow();
    await ended;
    clearTimeout(force);
  }

  #show(chunk: Buffer): void {
    this.#scrollback.push(chunk);
    for (const viewer of this.#viewers) viewer.send(chunk);
    this.#flow();
  }

  /** Reads the terminal while everyone who looks keeps up. */
  #flow(): void {
    const behind = [...this.#viewers].filter(({ pending }) => pending > MAX_PENDING);
    if (behind.length === 0) {
      clearTimeout(this.#watchdog);
      this.#watchdog = undefined;
      this.#shown.resume();
      return;
    }
    this.#shown.pause();
    this.#watchdog ??= setTimeout(() => this.#letGo(), MAX_SILENCE_MS).unref();
  }

  #letGo(): void {
    this.#watchdog = undefined;
    const now = Date.now();
    for (const viewer of this.#viewers) {
      if (viewer.pending <= MAX_PENDING || viewer.silentFor(now) < MAX_SILENCE_MS) continue;
      this.#viewers.delete(viewer);
      viewer.connection.close('too slow');
    }
    this.#flow();
  }

  #end(code: number): void {
    if (this.#exitCode !== undefined) return;
    this.#exitCode = code;
    clearTimeout(this.#watchdog);
    for (const viewer of this.#viewers) viewer.connection.sendExit(code);
    this.#viewers.clear();
  }
}
