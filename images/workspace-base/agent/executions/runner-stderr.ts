const TAIL_BYTES = 2 * 1024;
/** A line longer than this goes out in several. */
const LINE_BYTES = 8 * 1024;
const NEW_LINE = 0x0a;

/** What a runner says on stderr: passed on by whole lines to the agent's own, and its end kept. */
export class RunnerStderr {
  #tail = Buffer.alloc(0);
  #line = Buffer.alloc(0);

  add(chunk: Buffer): void {
    this.#tail = Buffer.concat([this.#tail, chunk.subarray(-TAIL_BYTES)]).subarray(-TAIL_BYTES);
    const bytes = Buffer.concat([this.#line, chunk]);
    const end = bytes.lastIndexOf(NEW_LINE) + 1;
    if (end > 0) process.stderr.write(bytes.subarray(0, end));
    this.#line = bytes.subarray(end);
    if (this.#line.length > LINE_BYTES) this.flush();
  }

  /** Passes on a line that has no end. */
  flush(): void {
    if (this.#line.length > 0) process.stderr.write(`${this.#line}\n`);
    this.#line = Buffer.alloc(0);
  }

  /** The last of it. A character that the cut halved is left out. */
  get tail(): string {
    const first = this.#tail.findIndex((byte) => (byte & 0xc0) !== 0x80);
    return this.#tail.subarray(Math.max(0, first)).toString().trim();
  }
}
