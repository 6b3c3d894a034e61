import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ObjectStore } from '../../../runtime/objects/object-store.ts';

export const MIB = 1024 * 1024;
const CHUNK = 64 * 1024;

/** A stream of `size` bytes of one value, made as they are read. */
export function streamOf(size: number, value = 1): Readable {
  return Readable.from(chunksOf(size, value), { objectMode: false });
}

export function* chunksOf(size: number, value = 1): Generator<Buffer> {
  for (let left = size; left > 0; left -= CHUNK) yield Buffer.alloc(Math.min(CHUNK, left), value);
}

/** Bytes of which no two pieces are alike, so that none can stand for another. */
export function variedBytes(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at + 4 <= size; at += 1024) bytes.writeUInt32LE(at, at);
  return bytes;
}

/** Gives `size` bytes, and then what `rest` does. */
export function streamThen(size: number, rest: () => Promise<Buffer>): Readable {
  async function* chunks() {
    yield* chunksOf(size);
    yield await rest();
  }
  return Readable.from(chunks(), { objectMode: false });
}

export const never = (): Promise<never> => new Promise(() => {});

export async function text(store: ObjectStore, key: string): Promise<string | undefined> {
  const found = await store.get(key);
  return found && (await buffer(found.content)).toString();
}

export async function keysOf(store: ObjectStore, prefix = ''): Promise<string[]> {
  return Array.fromAsync(store.list(prefix), ({ key }) => key);
}

export async function putText(store: ObjectStore, key: string, content: string): Promise<string> {
  const bytes = Buffer.from(content);
  const stored = await store.put(key, bytes, { size: bytes.length });
  if (stored === 'conflict') throw new Error('There was no condition to conflict with.');
  return stored.version;
}

/** Most bytes of buffers that were alive at once, above those at the start. Garbage does not count. */
export class BufferMeter {
  readonly #collect: () => void;
  readonly #before: number;
  most = 0;

  constructor() {
    setFlagsFromString('--expose-gc');
    this.#collect = runInNewContext('gc');
    this.#before = this.#alive();
  }

  measure(): void {
    this.most = Math.max(this.most, this.#alive() - this.#before);
  }

  #alive(): number {
    // What one collection finds dead is taken off the count by the next.
    this.#collect();
    this.#collect();
    return process.memoryUsage().arrayBuffers;
  }
}
