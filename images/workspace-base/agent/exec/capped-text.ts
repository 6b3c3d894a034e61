import { StringDecoder } from 'node:string_decoder';
import type { StreamName } from './command.ts';

/** Text from one stream or two in the order it came, up to a number of bytes. */
export class CappedText {
  truncated = false;
  #text = '';
  #left: number;
  /** One each, so that a character split between two chunks of a stream survives the other in between. */
  readonly #decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };

  constructor(limit: number) {
    this.#left = limit;
  }

  add(stream: StreamName, chunk: Buffer): void {
    if (chunk.length > this.#left) this.truncated = true;
    if (this.#left === 0) return;
    const kept = chunk.subarray(0, this.#left);
    this.#left -= kept.length;
    this.#text += this.#decoders[stream].write(kept);
  }

  /** The text; half a character at the end becomes a replacement, unless it is our cut that halved it. */
  end(): string {
    if (this.truncated) return this.#text;
    return this.#text + this.#decoders.stdout.end() + this.#decoders.stderr.end();
  }
}
