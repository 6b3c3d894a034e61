import type { Readable } from 'node:stream';
import type {
  ListedObject,
  ObjectStore,
  PutOptions,
  Stored,
  StoredContent,
  StoredObject,
} from '../../runtime/objects/object-store.ts';

/** Counts what is put into an object store, and passes everything on. */
export class CountingObjects implements ObjectStore {
  puts = 0;
  readonly #store: ObjectStore;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  put(key: string, content: Buffer | Readable, options: PutOptions): Promise<Stored | 'conflict'> {
    this.puts += 1;
    return this.#store.put(key, content, options);
  }

  get(key: string): Promise<StoredContent | undefined> {
    return this.#store.get(key);
  }

  head(key: string): Promise<StoredObject | undefined> {
    return this.#store.head(key);
  }

  list(prefix: string): AsyncIterable<ListedObject> {
    return this.#store.list(prefix);
  }

  delete(keys: readonly string[]): Promise<void> {
    return this.#store.delete(keys);
  }

  ping(): Promise<void> {
    return this.#store.ping();
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}
