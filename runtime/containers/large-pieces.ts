import { Transform, type TransformCallback } from 'node:stream';
import { hasPassed } from './passing-memory.ts';

/**
 * What (de)compresses takes a piece at a time to a thread and back: of the size that sockets give, on a busy machine,
 * the way there takes longer than what is done.
 */
export const LARGE_PIECE_BYTES = 512 * 1024;

/** Passes on the same bytes, put together. What is left goes at the end. */
export class LargePieces extends Transform {
  #piece = Buffer.allocUnsafeSlow(LARGE_PIECE_BYTES);
  #filled = 0;

  constructor() {
    super({ readableHighWaterMark: LARGE_PIECE_BYTES, writableHighWaterMark: LARGE_PIECE_BYTES });
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    for (let at = 0; at < chunk.length; ) {
      const taken = chunk.copy(this.#piece, this.#filled, at);
      this.#filled += taken;
      at += taken;
      if (this.#filled === LARGE_PIECE_BYTES) {
        this.push(this.#piece);
        this.#piece = Buffer.allocUnsafeSlow(LARGE_PIECE_BYTES);
        this.#filled = 0;
      }
    }
    hasPassed(chunk.length);
    done();
  }

  override _flush(done: TransformCallback): void {
    if (this.#filled > 0) this.push(this.#piece.subarray(0, this.#filled));
    done();
  }
}
