/** The end of a text of any length, in bounded memory. */
export class LastBytes {
  readonly #limit: number;
  #pieces: Buffer[] = [];
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
    // Joined at twice the limit, so that neither many small pieces nor one large one pile up.
    if (this.#length > 2 * this.#limit) this.#join();
  }

  toString(): string {
    return this.#join().toString();
  }

  #join(): Buffer {
    const joined = Buffer.concat(this.#pieces).subarray(-this.#limit);
    this.#pieces = [joined];
    this.#length = joined.length;
    return joined;
  }
}
