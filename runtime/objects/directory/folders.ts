import { mkdir, open, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from './object-file.ts';

/** The folders below a root, made when an object needs them and removed when none does. */
export class Folders {
  readonly #root: string;
  readonly #making = new Map<string, Promise<void>>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Resolves when the folder is there and would be after a crash. */
  async ensure(folder: string): Promise<void> {
    if (folder === this.#root) return;
    // One that was found is not safe before whoever makes it has written it down.
    const making = this.#making.get(folder) ?? this.#make(folder).finally(() => this.#making.delete(folder));
    this.#making.set(folder, making);
    await making;
  }

  /** Removes the folder if it is empty, and those above it that are empty then. */
  async prune(folder: string): Promise<void> {
    for (let at = folder; at !== this.#root; at = dirname(at)) {
      try {
        await rmdir(at);
      } catch (error) {
        if (errorCode(error) === 'ENOENT') continue; // another deletion was faster
        if (errorCode(error) === 'ENOTEMPTY' || errorCode(error) === 'EEXIST') return;
        throw error;
      }
    }
  }

  async #make(folder: string): Promise<void> {
    try {
      await mkdir(folder, { mode: 0o700 });
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return;
      if (errorCode(error) !== 'ENOENT' || dirname(folder) === this.#root) throw error;
      await this.ensure(dirname(folder));
      await this.#make(folder);
      return;
    }
    await syncFolder(dirname(folder));
  }
}

/** Makes names in the folder last. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
