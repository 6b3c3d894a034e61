/** The end of what a terminal has shown, bounded in bytes: what someone who comes back gets to see. */
export class Scrollback {
  static readonly MAX_BYTES = 256 * 1024;
  #buffer = Buffer.allocUnsafe(4096);
  #length = 0;
  #cut = false;

  push(chunk: Buffer): void {
    const added = chunk.length > Scrollback.MAX_BYTES ? chunk.subarray(-Scrollback.MAX_BYTES) : chunk;
    if (added !== chunk) this.#cut = true;
    this.#makeRoom(added.length);
    added.copy(this.#buffer, this.#length);
    this.#length += added.length;
  }

  /** Begins with a line where older ones are gone: half a line may be half a character or half a colour. */
  read(): Buffer {
    const kept = this.#buffer.subarray(Math.max(0, this.#length - Scrollback.MAX_BYTES), this.#length);
    const cut = this.#cut || this.#length > Scrollback.MAX_BYTES;
    return Buffer.from(cut ? kept.subarray(kept.indexOf(10) + 1) : kept);
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
    this.#buffer.copyWithin(0, this.#length - Scrollback.MAX_BYTES, this.#length);
    this.#length = Scrollback.MAX_BYTES;
    this.#cut = true;
    this.#makeRoom(bytes);
  }
}
