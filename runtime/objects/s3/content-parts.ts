import type { ExactContent } from '../exact-content.ts';
import { partBytes } from './part-sizes.ts';

export interface ContentPart {
  /** From 1. */
  number: number;
  bytes: Buffer;
  last: boolean;
}

/** Content of unknown size in parts. Their memory is used again: what is held is what was not given back. */
export class ContentParts {
  readonly #pieces: AsyncIterator<Buffer>;
  readonly #free: Buffer[] = [];
  #number = 0;
  /** What was read and is in no part yet. None: the content has ended. */
  #rest: Buffer | undefined = Buffer.alloc(0);

  constructor(content: ExactContent) {
    this.#pieces = content[Symbol.asyncIterator]();
  }

  /** Only the last may be empty, and only if it is the first, too. */
  async next(): Promise<ContentPart> {
    this.#number += 1;
    const size = partBytes(this.#number);
    const memory = this.#memory(size);
    let filled = 0;
    while (this.#rest !== undefined && (filled < size || this.#rest.length === 0)) {
      const taken = this.#rest.copy(memory, filled);
      filled += taken;
      this.#rest = this.#rest.subarray(taken);
      if (this.#rest.length === 0) this.#rest = await this.#read();
    }
    return { number: this.#number, bytes: memory.subarray(0, filled), last: this.#rest === undefined };
  }

  giveBack({ bytes }: ContentPart): void {
    this.#free.push(Buffer.from(bytes.buffer));
  }

  #memory(size: number): Buffer {
    // Those of smaller parts are of no use any more.
    for (let free = this.#free.pop(); free !== undefined; free = this.#free.pop()) {
      if (free.length === size) return free;
    }
    return Buffer.allocUnsafeSlow(size);
  }

  async #read(): Promise<Buffer | undefined> {
    const next = await this.#pieces.next();
    return next.done === true ? undefined : next.value;
  }
}
