import { MOST_HEAD_BYTES } from './limits.ts';
import { readHeaderLines } from './response-head.ts';
import { badAnswer } from './upstream-failure.ts';

const CR = 0x0d;
const LF = 0x0a;
/** A chunk's size with its extension, which is passed on to nobody. */
const SIZE_LINE = /^([0-9A-Fa-f]{1,12})(?:;[\t\x20-\x7e\x80-\xff]*)?$/;
const MOST_SIZE_LINE_BYTES = 1024;

/** Takes the chunks of one body apart. */
export class ChunkedReader {
  /** What a line has so far, of those that have not ended. */
  #line = '';
  #trailers = '';
  #part: 'size' | 'data' | 'after-data' | 'trailers' | 'done' = 'size';
  /** Bytes of the chunk that are still to come. */
  #left = 0;

  get done(): boolean {
    return this.#part === 'done';
  }

  /**
   * What of these bytes is body, moved together in their place, and how many of them it has looked at: all, unless it
   * is done. Throws an UpstreamFailure.
   */
  read(bytes: Buffer): { body: Buffer; used: number } {
    let at = 0;
    let from = 0;
    let to = 0;
    while (at < bytes.length && this.#part !== 'done') {
      if (this.#part !== 'data') {
        at = this.#readLine(bytes, at);
        continue;
      }
      const end = Math.min(bytes.length, at + this.#left);
      this.#left -= end - at;
      if (from === to) {
        from = at;
        to = end;
      } else {
        bytes.copyWithin(to, at, end);
        to += end - at;
      }
      at = end;
      if (this.#left === 0) this.#part = 'after-data';
    }
    return { body: bytes.subarray(from, to), used: at };
  }

  /** Reads on to the end of the line, or of the bytes; gives where that is. */
  #readLine(bytes: Buffer, from: number): number {
    const lineFeed = bytes.indexOf(LF, from);
    const end = lineFeed < 0 ? bytes.length : lineFeed + 1;
    const most = this.#part === 'trailers' ? MOST_HEAD_BYTES - this.#trailers.length : MOST_SIZE_LINE_BYTES;
    if (this.#line.length + end - from > most) throw badAnswer('a line between its chunks is too long');
    this.#line += bytes.toString('latin1', from, end);
    if (lineFeed < 0) {
      this.#checkBegun();
      return end;
    }
    const line = this.#line;
    this.#line = '';
    if (line.charCodeAt(line.length - 2) !== CR) throw badAnswer('a line between its chunks ends without CR');
    this.#take(line.slice(0, -2));
    return end;
  }

  /** What is wrong already is not waited for. */
  #checkBegun(): void {
    const begun = this.#line;
    if (this.#part === 'size' && !/^[0-9A-Fa-f]/.test(begun)) throw badAnswer('the size of a chunk is none');
    if (this.#part === 'after-data' && begun !== '\r') throw badAnswer('a chunk is longer than its size');
  }

  #take(line: string): void {
    if (this.#part === 'size') {
      const size = SIZE_LINE.exec(line)?.[1];
      if (size === undefined) throw badAnswer('the size of a chunk is none');
      this.#left = Number.parseInt(size, 16);
      this.#part = this.#left === 0 ? 'trailers' : 'data';
    } else if (this.#part === 'after-data') {
      if (line !== '') throw badAnswer('a chunk is longer than its size');
      this.#part = 'size';
    } else if (line !== '') {
      this.#trailers += `${line}\r\n`;
    } else {
      readHeaderLines(this.#trailers, 0);
      this.#part = 'done';
    }
  }
}
