import type { ServerResponse } from 'node:http';
import { writePiece } from './body-writer.ts';

const PIECE_BYTES = 64 * 1024;

/** A body made of many small parts that goes out in fewer, larger pieces. */
export class GatheredBody {
  readonly #res: ServerResponse;
  #parts: Buffer[] = [];
  #size = 0;

  constructor(res: ServerResponse) {
    this.#res = res;
  }

  /** Waits while the reader is behind. */
  async add(part: Buffer | string): Promise<void> {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part;
    this.#parts.push(bytes);
    this.#size += bytes.length;
    if (this.#size >= PIECE_BYTES) await this.#flush();
  }

  async end(): Promise<void> {
    await this.#flush();
    this.#res.end();
  }

  async #flush(): Promise<void> {
    const piece = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#size = 0;
    await writePiece(this.#res, piece);
  }
}
