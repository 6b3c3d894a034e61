import { randomBytes } from 'node:crypto';
import { access, chmod, constants, lstat, mkdir, open, rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { BerthError } from '../../contracts/errors.ts';
import { CallsUnderWay } from '../calls-under-way.ts';
import { type ExactContent, exactContent } from '../exact-content.ts';
import { checkKey, checkPrefix } from '../object-key.ts';
import type {
  ContentSize,
  ListedObject,
  ObjectStore,
  PutCondition,
  PutOptions,
  Stored,
  StoredContent,
  StoredObject,
} from '../object-store.ts';
import { checkPut, STALL_MS, wrongContent } from '../put-checks.ts';
import { explain } from './failures.ts';
import { Folders, syncFolder } from './folders.ts';
import { KeyTurns } from './key-turns.ts';
import { listObjects } from './list-objects.ts';
import { absent, errorCode, HEADER_BYTES, headerOf, headOf, openObject } from './object-file.ts';
import { pathOf } from './object-paths.ts';

const DELETED_AT_ONCE = 16;
const READ_BYTES = 512 * 1024;
/** Every deletion beside a new object can take its folder away once. */
const MOVE_ATTEMPTS = 20;

export interface DirectoryOptions {
  /** Default 30 s. */
  stallMs?: number;
}

/**
 * Objects as files in a folder of one process: the data directory's lock keeps a second one out, so a key's turns
 * within this process make the check of a condition and the move into place one step.
 */
export class DirectoryObjectStore implements ObjectStore {
  readonly #objects: string;
  /** Files being written, on the same file system; what a crash leaves here goes at the next opening. */
  readonly #partial: string;
  readonly #stallMs: number;
  readonly #folders: Folders;
  readonly #turns = new KeyTurns();
  readonly #calls = new CallsUnderWay();

  private constructor(root: string, { stallMs = STALL_MS }: DirectoryOptions) {
    this.#objects = join(root, 'kept');
    this.#partial = join(root, 'partial');
    this.#stallMs = stallMs;
    this.#folders = new Folders(this.#objects);
  }

  static async open(root: string, options: DirectoryOptions = {}): Promise<DirectoryObjectStore> {
    const store = new DirectoryObjectStore(root, options);
    try {
      await mkdir(root, { recursive: true, mode: 0o700 });
      if (!(await lstat(root)).isDirectory()) throw new Error(`${root} is not a folder of its own`);
      await chmod(root, 0o700);
      await mkdir(store.#objects, { recursive: true, mode: 0o700 });
      await rm(store.#partial, { recursive: true, force: true });
      await mkdir(store.#partial, { mode: 0o700 });
      await syncFolder(root);
    } catch (error) {
      throw explain(`open its folder ${root}`, error);
    }
    return store;
  }

  async put(key: string, content: Buffer | Readable, options: PutOptions): Promise<Stored | 'conflict'> {
    checkKey(key);
    const { size, condition } = options;
    try {
      checkPut(key, content, size);
      return await this.#calls.run(async (signal) => {
        const exact = Buffer.isBuffer(content) ? content : this.#exact(key, content, size, signal);
        try {
          return await this.#put(this.#pathOf(key), exact, condition, signal);
        } catch (error) {
          const failure = Buffer.isBuffer(exact) ? undefined : exact.failure;
          throw signal.aborted ? signal.reason : (failure ?? explain(`put ${key}`, error));
        }
      }, options.signal);
    } finally {
      if (!Buffer.isBuffer(content)) content.destroy();
    }
  }

  async get(key: string): Promise<StoredContent | undefined> {
    checkKey(key);
    const what = `get ${key}`;
    return this.#run(what, async () => {
      const opened = await openObject(this.#pathOf(key));
      if (opened === undefined) return this.#absent();
      const { file, ...object } = opened;
      const content = exactContent(
        file.createReadStream({ start: HEADER_BYTES, highWaterMark: READ_BYTES }),
        {
          size: object.size,
          stallMs: this.#stallMs,
          failure: (problem) => explain(what, new Error(`its file ${problem}`)),
          sourceFailure: (error) => explain(what, error),
        },
      );
      return { ...object, content: this.#calls.follow(content) };
    });
  }

  async head(key: string): Promise<StoredObject | undefined> {
    checkKey(key);
    return this.#run(`look at ${key}`, async () => (await headOf(this.#pathOf(key))) ?? this.#absent());
  }

  list(prefix: string): AsyncIterable<ListedObject> {
    checkPrefix(prefix);
    return this.#list(prefix);
  }

  async delete(keys: readonly string[]): Promise<void> {
    for (const key of keys) checkKey(key);
    await this.#run(`delete ${keys.length} objects`, async (signal) => {
      for (let at = 0; at < keys.length; at += DELETED_AT_ONCE) {
        signal.throwIfAborted();
        const some = keys.slice(at, at + DELETED_AT_ONCE);
        const done = await Promise.allSettled(some.map((key) => this.#remove(this.#pathOf(key))));
        const failed = done.find((one) => one.status === 'rejected');
        if (failed !== undefined) throw failed.reason;
      }
      await this.#present();
    });
  }

  async ping(): Promise<void> {
    await this.#run('use its folder', async () => {
      await this.#present();
      await access(this.#partial, constants.W_OK);
    });
  }

  async close(): Promise<void> {
    await this.#calls.close();
  }

  #exact(key: string, content: Readable, size: ContentSize, signal: AbortSignal): ExactContent {
    const failure = (problem: string) => wrongContent(key, problem);
    return exactContent(content, { size, stallMs: this.#stallMs, failure, signal });
  }

  async #put(
    path: string,
    content: Buffer | ExactContent,
    condition: PutCondition | undefined,
    signal: AbortSignal,
  ): Promise<Stored | 'conflict'> {
    const version = randomBytes(16).toString('hex');
    const partial = join(this.#partial, version);
    try {
      await writePartial(partial, version, content);
      return await this.#turns.run(path, async () => {
        signal.throwIfAborted();
        if (condition !== undefined && !holds(condition, await headOf(path))) return 'conflict';
        await this.#move(partial, path);
        return { version };
      });
    } finally {
      await rm(partial, { force: true });
    }
  }

  async #move(partial: string, path: string): Promise<void> {
    const folder = dirname(path);
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#folders.ensure(folder);
        await rename(partial, path);
        break;
      } catch (error) {
        if (errorCode(error) !== 'ENOENT' || attempt === MOVE_ATTEMPTS) throw error;
      }
    }
    await syncFolder(folder);
  }

  /** A deletion that a crash undoes is made again by whoever finds the object. */
  async #remove(path: string): Promise<void> {
    await this.#turns.run(path, () => unlink(path).catch(absent));
    await this.#folders.prune(dirname(path));
  }

  async *#list(prefix: string): AsyncGenerator<ListedObject> {
    const what = `list ${prefix}`;
    const objects = listObjects(this.#objects, prefix);
    for (;;) {
      const next = await this.#run(what, () => objects.next());
      if (next.done === true) break;
      yield next.value;
    }
    await this.#run(what, () => this.#present());
  }

  /** Nothing is known of an object when the whole folder is gone, as that of a disk that is not mounted. */
  async #absent(): Promise<undefined> {
    await this.#present();
  }

  async #present(): Promise<void> {
    const found = await stat(this.#objects).catch(absent);
    if (found?.isDirectory() === true) return;
    throw new BerthError('STORE_UNAVAILABLE', 'The folder of the object store is gone.');
  }

  #pathOf(key: string): string {
    return join(this.#objects, pathOf(key));
  }

  async #run<T>(what: string, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.#calls.run(async (signal) => {
      try {
        return await call(signal);
      } catch (error) {
        throw signal.aborted ? signal.reason : explain(what, error);
      }
    });
  }
}

async function writePartial(path: string, version: string, content: Buffer | ExactContent): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(headerOf(version));
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

function holds(condition: PutCondition, current: StoredObject | undefined): boolean {
  return 'absent' in condition ? current === undefined : current?.version === condition.version;
}
