import { badAnswer } from './answer-failure.ts';
import { MOST_HEAD_BYTES } from './head-limits.ts';
import { readHeaderLines } from './response-head.ts';

const CR = 0x0d;
const LF = 0x0a;
/** A chunk's size with its extension, which is passed on to nobody. */
const SIZE_LINE = /^([0-9A-Fa-f]{1,12})(?:;[\t\x20-\x7e\x80-\xff]*)?$/;
const MOST_SIZE_LINE_BYTES = 1024;
/** A longer size is looked at as any other line. */
const MOST_PLAIN_DIGITS = 8;
/** Fewer bytes are moved faster one by one. */
const FEW_BYTES = 32;

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
   * is done. Throws an AnswerFailure.
   */
  read(bytes: Buffer): { body: Buffer; used: number } {
    let at = 0;
    let from = 0;
    let to = 0;
    while (at < bytes.length && this.#part !== 'done') {
      if (this.#part !== 'data') {
        const after = this.#skipPlainLine(bytes, at);
        at = after > at ? after : this.#readLine(bytes, at);
        continue;
      }
      const end = Math.min(bytes.length, at + this.#left);
      this.#left -= end - at;
      if (from === to) {
        from = at;
        to = end;
      } else {
        moveDown(bytes, to, at, end);
        to += end - at;
      }
      at = end;
      if (this.#left === 0) this.#part = 'after-data';
    }
    return { body: bytes.subarray(from, to), used: at };
  }

  /** Takes a line that is nothing but a size, or nothing at all, and gives where it ends; where it is none, as before. */
  #skipPlainLine(bytes: Buffer, from: number): number {
    if (this.#line !== '' || this.#part === 'trailers') return from;
    let at = from;
    let size = 0;
    if (this.#part === 'size') {
      const most = from + MOST_PLAIN_DIGITS;
      for (let digit = digitOf(bytes[at]); digit >= 0 && at < most; digit = digitOf(bytes[at])) {
        size = size * 16 + digit;
        at += 1;
      }
      if (at === from) return from;
    }
    if (bytes[at] !== CR || bytes[at + 1] !== LF) return from;
    if (this.#part === 'after-data') this.#part = 'size';
    else this.#begin(size);
    return at + 2;
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

  #begin(size: number): void {
    this.#left = size;
    this.#part = size === 0 ? 'trailers' : 'data';
  }

  #take(line: string): void {
    if (this.#part === 'size') {
      const size = SIZE_LINE.exec(line)?.[1];
      if (size === undefined) throw badAnswer('the size of a chunk is none');
      this.#begin(Number.parseInt(size, 16));
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

/** The value of a hex digit, or -1. */
function digitOf(code: number | undefined): number {
  if (code === undefined) return -1;
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

function moveDown(bytes: Buffer, to: number, from: number, end: number): void {
  if (end - from > FEW_BYTES) bytes.copyWithin(to, from, end);
  else for (let at = 0; at < end - from; at += 1) bytes[to + at] = bytes[from + at] ?? 0;
}
