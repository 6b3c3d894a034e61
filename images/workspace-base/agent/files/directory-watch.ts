import { type FSWatcher, watch } from 'node:fs';
import { errnoOf } from '../problem.ts';
import type { NamePredicate } from './excluded-names.ts';
import { listDirectory, walk } from './walk.ts';
import { splitPath } from './workspace-path.ts';

/** Beyond this many directories, watches cost the host more than they are worth. */
const MAX_WATCHED = 4_096;

/** The kernel queues twice as many; it drops what comes after, and nobody hears of it. */
const MANY_EVENTS = 8_192;

const SETTLE_MS = 50;

interface WatchListener {
  changed(): void;
  /** Changes may have been missed; the watch goes on. */
  overflow(): void;
  /** The tree can't be watched, or no longer. */
  failed(): void;
}

/**
 * Watches every directory of the workspace, one watch each. Node's own recursive watch would also
 * watch every file, of which there can be too many.
 */
export class DirectoryWatch {
  readonly #root: string;
  readonly #excluded: NamePredicate;
  readonly #listener: WatchListener;
  readonly #watchers = new Map<string, FSWatcher>();
  /** Directories that may have got other subdirectories. */
  readonly #stale = new Set<string>();
  #events = 0;
  #settling: NodeJS.Timeout | undefined;

  constructor(root: string, excluded: NamePredicate, listener: WatchListener) {
    this.#root = root;
    this.#excluded = excluded;
    this.#listener = listener;
  }

  /** Sets the watches up; they stand when this returns. */
  start(): void {
    this.#try(() => this.#add(''));
  }

  close(): void {
    clearTimeout(this.#settling);
    this.#clear();
  }

  #clear(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
    this.#stale.clear();
  }

  /** Watches a directory and all below it, each before it is listed, so that nothing slips between. */
  #add(start: string): void {
    this.#watch(start);
    for (const found of walk(this.#root, start, this.#excluded)) {
      if (found.kind === 'directory') this.#watch(found.path);
    }
  }

  /** Gives up when there are too many directories, here or by the kernel's count of the whole host. */
  #try(act: () => void): void {
    try {
      act();
    } catch {
      this.close();
      this.#listener.failed();
    }
  }

  #watch(path: string): void {
    if (this.#watchers.has(path)) return;
    if (this.#watchers.size >= MAX_WATCHED) throw new Error('too many directories to watch');
    try {
      const watcher = watch(`${this.#root}/${path}`, (type, name) => this.#notice(path, type, name ?? ''));
      watcher.on('error', () => this.#forget(path));
      this.#watchers.set(path, watcher);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT' && errnoOf(error) !== 'ENOTDIR') throw error; // else it went meanwhile
    }
  }

  #notice(path: string, type: string, name: string): void {
    if (this.#excluded(name)) return;
    this.#events += 1;
    if (type === 'rename') {
      this.#stale.add(path);
      // So a directory tells that it was removed or moved away itself; an entry of its own name is rare.
      if (name === splitPath(path).name) this.#forget(path);
    }
    this.#settling ??= setTimeout(() => this.#try(() => this.#settle()), SETTLE_MS);
    this.#listener.changed();
  }

  /** Ends the watches on a directory and below; if it is still there, its parent's list brings it back. */
  #forget(path: string): void {
    if (path === '') return;
    for (const [other, watcher] of this.#watchers) {
      if (other !== path && !other.startsWith(`${path}/`)) continue;
      watcher.close();
      this.#watchers.delete(other);
    }
    this.#stale.add(splitPath(path).parent);
  }

  /** Brings the watches up to date with the directories that there are now. */
  #settle(): void {
    this.#settling = undefined;
    const events = this.#events;
    this.#events = 0;
    if (events >= MANY_EVENTS) {
      this.#clear();
      this.#add('');
      this.#listener.overflow();
      return;
    }
    const stale = [...this.#stale].filter((path) => this.#watchers.has(path));
    this.#stale.clear();
    for (const path of stale) {
      for (const found of listDirectory(this.#root, path, 'refuse', this.#excluded)) {
        if (found.kind !== 'directory' || this.#watchers.has(found.path)) continue;
        this.#add(found.path);
        this.#listener.changed(); // what happened in it before the watch stood
      }
    }
  }
}
