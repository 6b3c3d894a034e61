import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartFailure } from './start-failure.ts';

/**
 * The folder of a single instance. The lock is SQLite's on a file of its own: the kernel lets go of it
 * when the holder dies, however it dies.
 */
export class DataDirectory implements Disposable {
  readonly path: string;
  readonly #lock: DatabaseSync;

  constructor(path: string) {
    this.path = resolve(path);
    try {
      mkdirSync(this.path, { recursive: true, mode: 0o700 });
      this.#lock = new DatabaseSync(this.file('lock'), { timeout: 0 });
    } catch (error) {
      throw new StartFailure(
        `The data directory ${this.path} can't be used (${messageOf(error)}): set BERTH_DATA_DIR to a folder of yours`,
        1,
        error,
      );
    }
    try {
      this.#lock.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      this.#lock.close();
      throw new StartFailure(
        `The data directory ${this.path} is in use by ${this.#owner()}: stop that one, or set BERTH_DATA_DIR to another folder`,
        1,
        error,
      );
    }
    writeFileSync(this.file('owner'), `process ${process.pid}, started ${new Date().toISOString()}\n`);
  }

  file(name: string): string {
    return join(this.path, name);
  }

  read(name: string): string | undefined {
    try {
      return readFileSync(this.file(name), 'utf8').trim();
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** For its owner's eyes only. */
  write(name: string, content: string): void {
    writeFileSync(this.file(name), `${content}\n`, { mode: 0o600, flush: true });
    chmodSync(this.file(name), 0o600);
  }

  /** What the file holds, or a new value that it holds from now on. */
  readOrCreate(name: string, make: () => string): string {
    const known = this.read(name);
    if (known !== undefined && known !== '') return known;
    const made = make();
    this.write(name, made);
    return made;
  }

  [Symbol.dispose](): void {
    this.#lock.close();
  }

  #owner(): string {
    return this.read('owner') || 'another process';
  }
}

export function randomHex(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
