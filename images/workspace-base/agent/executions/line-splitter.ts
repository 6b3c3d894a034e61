const NEW_LINE = 0x0a;

/** Cuts bytes into lines, whatever pieces they come in. */
export class LineSplitter {
  readonly #limit: number;
  #held: Buffer = Buffer.alloc(0);
  #size = 0;

  /** A line longer than `limit` bytes is handed on, as far as it has come, as soon as it is longer. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Calls `take` with each line, lent and without its end, until that returns false. */
  add(chunk: Buffer, take: (line: Buffer) => boolean): void {
    let start = 0;
    for (let end = chunk.indexOf(NEW_LINE); end >= 0; end = chunk.indexOf(NEW_LINE, start)) {
      const line = this.#size === 0 ? chunk.subarray(start, end) : this.#join(chunk.subarray(start, end));
      start = end + 1;
      if (!take(line)) return;
    }
    this.#hold(chunk.subarray(start));
    if (this.#size > this.#limit) take(this.rest());
  }

  /** What came after the last line end. */
  rest(): Buffer {
    const rest = this.#held.subarray(0, this.#size);
    this.#size = 0;
    return rest;
  }

  #join(end: Buffer): Buffer {
    this.#hold(end);
    return this.rest();
  }

  /** Grows by doubling, so that a line that comes byte by byte costs no more than one that comes whole. */
  #hold(part: Buffer): void {
    const size = this.#size + part.length;
    if (size > this.#held.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(size, this.#held.length * 2));
      this.#held.copy(larger, 0, 0, this.#size);
      this.#held = larger;
    }
    part.copy(this.#held, this.#size);
    this.#size = size;
  }
}
