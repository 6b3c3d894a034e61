import { TarError } from './header.ts';

/** Takes a stream of chunks apart at chosen lengths. */
export class ByteReader {
  readonly #source: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterator<Buffer>) {
    this.#source = source;
  }

  /** The next bytes, at least one and at most `limit`, uncopied. Throws at the end of the stream. */
  async some(limit: number): Promise<Buffer> {
    while (this.#rest.length === 0) {
      const next = await this.#source.next();
      if (next.done) throw new TarError('the archive ends in the middle');
      this.#rest = next.value;
    }
    const taken = this.#rest.subarray(0, limit);
    this.#rest = this.#rest.subarray(taken.length);
    return taken;
  }

  /** Exactly the next `length` bytes. */
  async exactly(length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let missing = length; missing > 0; ) {
      const part = await this.some(missing);
      parts.push(part);
      missing -= part.length;
    }
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
  }

  /** Reads and drops the next `length` bytes. */
  async skip(length: number): Promise<void> {
    for (let missing = length; missing > 0; ) missing -= (await this.some(missing)).length;
  }

  /** Reads and drops whatever is left. */
  async finish(): Promise<void> {
    this.#rest = Buffer.alloc(0);
    while (!(await this.#source.next()).done);
  }
}
