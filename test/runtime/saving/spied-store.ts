import type { Readable } from 'node:stream';
import type {
  ListedObject,
  ObjectStore,
  PutOptions,
  Stored,
  StoredContent,
  StoredObject,
} from '../../../runtime/objects/object-store.ts';

/** A real store, with an eye on what is asked of it and a hand to come between. */
export class SpiedStore implements ObjectStore {
  readonly #inner: ObjectStore;
  readonly #made = new Map<string, number>();
  /** Keys of all puts that were asked for. */
  puts: string[] = [];
  deleted: string[] = [];
  /** Calls under way, and the most there were at a time. */
  underWay = 0;
  most = 0;
  /** Before a put begins. Throwing fails it. */
  beforePut: (key: string, content: Buffer | Readable) => unknown = () => undefined;
  beforeGet: (key: string) => unknown = () => undefined;
  beforeHead: (key: string) => unknown = () => undefined;
  beforeDelete: (keys: readonly string[]) => unknown = () => undefined;
  /** Answers in the place of the store's own. */
  answerPut: (key: string, stored: Stored | 'conflict') => Stored | 'conflict' = (_key, stored) => stored;
  answerGet: (key: string, found: StoredContent | undefined) => StoredContent | undefined = (_key, found) =>
    found;

  constructor(inner: ObjectStore) {
    this.#inner = inner;
  }

  /** Makes objects that are there now look as if they were put so much earlier. */
  async makeOlder(prefix: string, byMs: number): Promise<void> {
    for await (const { key } of this.#inner.list(prefix)) this.#made.set(key, byMs);
  }

  get blobPuts(): string[] {
    return this.puts.filter((key) => key.includes('/blobs/'));
  }

  get manifestPuts(): string[] {
    return this.puts.filter((key) => key.endsWith('/manifest.json'));
  }

  async put(key: string, content: Buffer | Readable, options: PutOptions): Promise<Stored | 'conflict'> {
    this.puts.push(key);
    return this.#during(async () => {
      try {
        await this.beforePut(key, content);
      } catch (error) {
        if (!Buffer.isBuffer(content)) content.destroy();
        throw error;
      }
      const stored = await this.#inner.put(key, content, options);
      this.#made.delete(key);
      return this.answerPut(key, stored);
    });
  }

  async get(key: string): Promise<StoredContent | undefined> {
    return this.#during(async () => {
      await this.beforeGet(key);
      return this.answerGet(key, await this.#inner.get(key));
    });
  }

  async head(key: string): Promise<StoredObject | undefined> {
    await this.beforeHead(key);
    const found = await this.#inner.head(key);
    return found && { ...found, modifiedAt: found.modifiedAt - (this.#made.get(key) ?? 0) };
  }

  async *list(prefix: string): AsyncGenerator<ListedObject> {
    for await (const found of this.#inner.list(prefix)) {
      yield { ...found, modifiedAt: found.modifiedAt - (this.#made.get(found.key) ?? 0) };
    }
  }

  async delete(keys: readonly string[]): Promise<void> {
    await this.beforeDelete(keys);
    this.deleted.push(...keys);
    await this.#inner.delete(keys);
  }

  ping(): Promise<void> {
    return this.#inner.ping();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  async #during<T>(call: () => Promise<T>): Promise<T> {
    this.underWay += 1;
    this.most = Math.max(this.most, this.underWay);
    try {
      return await call();
    } finally {
      this.underWay -= 1;
    }
  }
}
