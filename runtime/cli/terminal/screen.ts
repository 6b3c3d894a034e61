import type { Environment } from '../command-spec.ts';
import { safeJson } from './escape.ts';
import { type Style, styled } from './style.ts';
import { type Cell, type Column, table } from './table.ts';

/** As a program that the closed pipe's signal ended. */
const READER_GONE = 141;

/** Where a command says what it has to say. */
export class Screen {
  /** What happens when nobody reads any more, as after `| head`. */
  whenGone: () => void = () => process.exit(READER_GONE);
  readonly #colours: { stdout: boolean; stderr: boolean };

  constructor(env: Environment) {
    const wanted = (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
    this.#colours = {
      stdout: wanted && process.stdout.isTTY === true,
      stderr: wanted && process.stderr.isTTY === true,
    };
    for (const stream of [process.stdout, process.stderr])
      stream.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
        this.whenGone();
      });
  }

  /** Whether what is printed may have colours. */
  get colours(): boolean {
    return this.#colours.stdout;
  }

  /** Whether a person sees what is printed. */
  get terminal(): boolean {
    return process.stdout.isTTY === true;
  }

  /** Whether a person sees the notes. */
  get notesAreSeen(): boolean {
    return process.stderr.isTTY === true;
  }

  print(text: string): void {
    process.stdout.write(text);
  }

  note(text: string, style?: Style): void {
    process.stderr.write(`${styled(text, style, this.#colours.stderr)}\n`);
  }

  /** One document: in lines of its own for a person, in one line for a program. */
  json(value: unknown): void {
    this.print(`${safeJson(value, this.terminal ? 2 : undefined)}\n`);
  }

  /** One of many, a line each. */
  jsonLine(value: unknown): Promise<void> {
    return this.pass('stdout', `${safeJson(value)}\n`);
  }

  table(columns: readonly Column[], rows: readonly Cell[][]): void {
    const width = this.terminal ? process.stdout.columns || undefined : undefined;
    this.print(table(columns, rows, { columns: width, colours: this.#colours.stdout }));
  }

  /** What a program said, as it is. Resolves when there is room for more. */
  async pass(stream: 'stdout' | 'stderr', content: string | Uint8Array): Promise<void> {
    const to = process[stream];
    if (to.write(content) || to.destroyed) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        to.off('drain', done).off('close', done).off('error', done);
        resolve();
      };
      to.on('drain', done).on('close', done).on('error', done);
    });
  }
}
