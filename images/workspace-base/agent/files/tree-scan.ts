import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import type { NamePredicate } from './excluded-names.ts';
import { walk } from './walk.ts';

const MIN_INTERVAL_MS = 2_000;

/** A look takes at most this part of the time. */
const SHARE = 1 / 10;

const ENTRIES_AT_A_TIME = 500;

interface ScanListener {
  /** A look found something else than the one before. */
  changed(): void;
  /** The first look is over: what happened before it is not known. */
  overflow(): void;
}

/** Finds changes by looking at everything again and again, where watching is not possible. */
export class TreeScan {
  readonly #root: string;
  readonly #excluded: NamePredicate;
  readonly #listener: ScanListener;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(root: string, excluded: NamePredicate, listener: ScanListener) {
    this.#root = root;
    this.#excluded = excluded;
    this.#listener = listener;
  }

  start(): void {
    void this.#lookAgain(undefined);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #lookAgain(before: string | undefined): Promise<void> {
    const startedAt = performance.now();
    const seen = await this.#look();
    if (this.#closed) return;
    if (before === undefined) this.#listener.overflow();
    else if (seen !== before) this.#listener.changed();
    const interval = Math.max(MIN_INTERVAL_MS, (performance.now() - startedAt) / SHARE);
    this.#timer = setTimeout(() => void this.#lookAgain(seen), interval);
  }

  /** What there is, as one value that differs when anything does. */
  async #look(): Promise<string> {
    const hash = createHash('sha256');
    let count = 0;
    try {
      for (const { path } of walk(this.#root, '', this.#excluded)) {
        const stats = lstatSync(`${this.#root}/${path}`, { throwIfNoEntry: false });
        hash.update(`${path}\0${stats?.ino} ${stats?.size} ${stats?.mtimeMs} ${stats?.ctimeMs}\0`);
        count += 1;
        if (count % ENTRIES_AT_A_TIME === 0) await setImmediate();
        if (this.#closed) break;
      }
    } catch (error) {
      hash.update(String(error)); // what can't be looked at now may be seen the next time
    }
    return hash.digest('hex');
  }
}
