import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { SavedFile } from './saved-manifest.ts';

/** Content up to here goes as one buffer, which is cheaper than a stream. */
export const SMALL_BYTES = 256 * 1024;

/** The content is not that of the file it was taken for. */
export class OtherContent extends Error {
  constructor(what: string) {
    super(what);
    this.name = 'OtherContent';
  }
}

export type Expected = Pick<SavedFile, 'sha256' | 'size'>;

/**
 * Passes content on; its last bytes only once all of it has proved to be what is expected, else `OtherContent` is
 * thrown. With `surplus` more may follow, which is not read: a file that was added to still begins as it was.
 */
export async function* checked(
  content: AsyncIterable<Buffer>,
  expected: Expected,
  surplus = false,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let size = 0;
  let held: Buffer | undefined;
  for await (const chunk of content) {
    const room = expected.size - size;
    if (chunk.length > room && !surplus) throw new OtherContent(`there are more than ${expected.size} bytes`);
    const piece = chunk.length > room ? chunk.subarray(0, room) : chunk;
    size += piece.length;
    hash.update(piece);
    if (held !== undefined) yield held;
    held = piece;
    if (surplus && size === expected.size) break;
  }
  if (size < expected.size) throw new OtherContent(`there are ${size} of ${expected.size} bytes`);
  if (hash.digest('hex') !== expected.sha256) throw new OtherContent('the hash is another');
  if (held !== undefined) yield held;
}

/** All of it at once; for small content. */
export async function collect(content: AsyncIterable<Buffer>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(content));
}

/** Content as a stream to hand on, which remembers what became of it: who reads it may tell a failure in other words. */
export class WatchedContent {
  readonly stream: Readable;
  failure: unknown;
  /** Whether all of it was taken. */
  complete = false;

  constructor(content: AsyncIterable<Buffer>) {
    this.stream = Readable.from(this.#watch(content), { objectMode: false });
    this.stream.on('error', () => {}); // its reader sees it; one that has gone must not end the process
  }

  async *#watch(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const source = content[Symbol.asyncIterator]();
    try {
      for (let next = await this.#next(source); next.done !== true; next = await this.#next(source)) {
        yield next.value; // throws when the reader destroys the stream: that is no failure of the content
      }
      this.complete = true;
    } finally {
      await source.return?.();
    }
  }

  async #next(source: AsyncIterator<Buffer>): Promise<IteratorResult<Buffer>> {
    try {
      return await source.next();
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }
}
