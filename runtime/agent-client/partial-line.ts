/** A line whose end has not come yet, put together from however many pieces at a cost that grows with its length. */
export class PartialLine {
  #bytes: Buffer = Buffer.alloc(0);
  #used = 0;

  get length(): number {
    return this.#used;
  }

  add(piece: Uint8Array): void {
    const needed = this.#used + piece.length;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, this.#used);
      this.#bytes = larger;
    }
    this.#bytes.set(piece, this.#used);
    this.#used = needed;
  }

  /** All of it; the next line begins empty, in other memory. */
  take(): Buffer {
    const line = this.#bytes.subarray(0, this.#used);
    this.#bytes = Buffer.alloc(0);
    this.#used = 0;
    return line;
  }
}
