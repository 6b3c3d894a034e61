import { pipeline, Readable, Transform, type TransformCallback } from 'node:stream';
import type { ContentSize } from './object-store.ts';

/** Passed on in pieces, so that progress shows. */
const PIECE_BYTES = 64 * 1024;

export interface ExpectedContent {
  /** Unknown: whatever comes before the source ends in order, passed on as it comes. */
  size: ContentSize;
  /** How long its source may give nothing to a reader who waits. */
  stallMs: number;
  /** What it fails with when it is not as expected; told as `ended after 3 of 5 bytes`. */
  failure(problem: string): Error;
  /** What it fails with when its source does. Default: the source's own error. */
  sourceFailure?(error: Error): Error;
  /** Ends it with the signal's reason. */
  signal?: AbortSignal;
}

/**
 * Content of exactly `size` bytes, or an error. The last bytes are passed on only after the source has ended in order:
 * who has them all can trust them, and who forwards them has not completed anything by what turns out to be wrong.
 */
export function exactContent(content: Buffer | Readable, expected: ExpectedContent): ExactContent {
  const source = Buffer.isBuffer(content) ? Readable.from(content, { objectMode: false }) : content;
  const exact = new ExactContent(expected);
  const { sourceFailure = (error: Error) => error, signal } = expected;
  source.once('error', (error) => exact.fail(sourceFailure(error)));
  source.once('close', () => {
    if (!source.readableEnded && !exact.destroyed)
      exact.fail(sourceFailure(new Error('it was closed early')));
  });
  const onAbort = () => exact.fail(asError(signal?.reason));
  signal?.addEventListener('abort', onAbort, { once: true });
  // Whichever of the two ends before its time takes the other with it.
  pipeline(source, exact, () => signal?.removeEventListener('abort', onAbort));
  if (signal?.aborted) onAbort();
  return exact;
}

export class ExactContent extends Transform {
  readonly #expected: ExpectedContent;
  readonly #stall: NodeJS.Timeout;
  #received = 0;
  #passed = 0;
  #last: Buffer = Buffer.alloc(0);
  /** Why it was not as expected; undefined also when its reader let go of it. */
  failure: Error | undefined;

  constructor(expected: ExpectedContent) {
    super();
    this.#expected = expected;
    this.#stall = setTimeout(() => this.#onStall(), expected.stallMs);
  }

  /** How many bytes the reader has taken. */
  get taken(): number {
    return this.#passed - this.readableLength;
  }

  /** Whether it is the source that everything waits for. */
  get starving(): boolean {
    const full = this.readableLength >= this.readableHighWaterMark || this.writableLength > 0;
    return !full && !this.writableFinished;
  }

  fail(error: Error): void {
    if (this.destroyed) return;
    this.failure = error;
    this.destroy(error);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#stall.refresh();
    this.#received += chunk.length;
    const { size } = this.#expected;
    if (size !== 'unknown' && this.#received > size) {
      this.fail(this.#expected.failure(`has more than ${size} bytes`));
      return;
    }
    if (size === 'unknown' || this.#received < size) this.#pass(chunk);
    else if (chunk.length > 0) this.#last = chunk;
    done();
  }

  override _flush(done: TransformCallback): void {
    clearTimeout(this.#stall);
    const { size } = this.#expected;
    if (size !== 'unknown' && this.#received < size) {
      this.fail(this.#expected.failure(`ended after ${this.#received} of ${size} bytes`));
      return;
    }
    this.#pass(this.#last);
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#stall);
    super._destroy(error, done);
  }

  #pass(chunk: Buffer): void {
    if (this.#expected.size === 'unknown') {
      this.#passed += chunk.length;
      this.push(chunk);
      return;
    }
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      const piece = chunk.subarray(at, at + PIECE_BYTES);
      this.#passed += piece.length;
      this.push(piece);
    }
  }

  #onStall(): void {
    if (this.starving) {
      this.fail(this.#expected.failure(`stood still for ${this.#expected.stallMs / 1000} s`));
    } else this.#stall.refresh();
  }
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
