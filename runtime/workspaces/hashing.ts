import { createHash } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';
import { hasPassed } from '../containers/passing-memory.ts';

/** Passes on what comes, and tells what it hashed to. */
export class Hashing extends Transform {
  readonly #hash = createHash('sha256');

  override _transform(piece: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#hash.update(piece);
    hasPassed(piece.length);
    done(null, piece);
  }

  /** In hex, once all has passed; once only. */
  sha256(): string {
    return this.#hash.digest('hex');
  }
}
