const HEADER_BYTES = 8;

/** Takes frames as Docker has them (a stream's number, 3 zeros, 4 bytes of length, then the text) apart. */
export class LogFrames {
  #header = Buffer.alloc(0);
  #left = 0;
  #stream = 0;

  /** Which stream the text is of that was read last: 1 stdout, 2 stderr. */
  get stream(): number {
    return this.#stream;
  }

  /** The text in a piece of the stream, which may begin and end anywhere. */
  *read(piece: Buffer): Generator<Buffer> {
    let rest = piece;
    while (rest.length > 0) {
      if (this.#left > 0) {
        const text = rest.subarray(0, this.#left);
        this.#left -= text.length;
        rest = rest.subarray(text.length);
        yield text;
        continue;
      }
      const missing = HEADER_BYTES - this.#header.length;
      this.#header = Buffer.concat([this.#header, rest.subarray(0, missing)]);
      rest = rest.subarray(missing);
      if (this.#header.length < HEADER_BYTES) return;
      this.#left = this.#header.readUInt32BE(4);
      this.#stream = this.#header.readUInt8(0);
      this.#header = Buffer.alloc(0);
    }
  }
}
