/** The end of what a terminal has shown, by the number of each byte since its beginning. */
export class Scrollback {
  static readonly MAX_BYTES = 256 * 1024;
  /** Where a line is looked for to begin with; a program without lines gets no more than this cut off. */
  static readonly #LINE_WITHIN = 4096;
  #buffer = Buffer.allocUnsafe(4096);
  /** The number of the buffer's first byte. */
  #first = 0;
  #length = 0;

  /** How many bytes have been shown in all. */
  get end(): number {
    return this.#first + this.#length;
  }

  /** The number of the oldest byte that is kept. */
  get start(): number {
    return Math.max(this.#first, this.end - Scrollback.MAX_BYTES);
  }

  /** At most `MAX_BYTES` at a time. */
  push(chunk: Buffer): void {
    this.#makeRoom(chunk.length);
    chunk.copy(this.#buffer, this.#length);
    this.#length += chunk.length;
  }

  /**
   * Where someone begins who has seen `after` bytes. Where what comes next is gone, that is at a line: half a line may be
   * half a character or half a colour.
   */
  beginAfter(after: number): number {
    const { start } = this;
    if (after >= start) return after;
    const from = start - this.#first;
    const near = this.#buffer.subarray(from, Math.min(from + Scrollback.#LINE_WITHIN, this.#length));
    return start + near.indexOf(10) + 1;
  }

  /** A copy of at most so many bytes from number `from` on, which must be kept still. */
  read(from: number, most: number): Buffer {
    const at = from - this.#first;
    return Buffer.from(this.#buffer.subarray(at, Math.min(at + most, this.#length)));
  }

  /** Twice the bound, so that bytes move once in as many that are added. */
  #makeRoom(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#buffer.length) return;
    if (needed <= 2 * Scrollback.MAX_BYTES) {
      const larger = Buffer.allocUnsafe(Math.min(2 * Scrollback.MAX_BYTES, 2 * needed));
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
      return;
    }
    const dropped = this.#length - Scrollback.MAX_BYTES;
    this.#buffer.copyWithin(0, dropped, this.#length);
    this.#first += dropped;
    this.#length = Scrollback.MAX_BYTES;
    this.#makeRoom(bytes);
  }
}
