import { Writable } from 'node:stream';
import { hasPassed } from '../containers/passing-memory.ts';

const BLOCK = 512;
/** Headers that say something of the next entry and are none themselves. */
const EXTENDED = 'x';
const ABOUT_OTHERS = 'xgLK';
/** What such a header may hold, and so what is held in memory. */
const EXTENDED_BYTES = 1024 * 1024;

/** Counts the entries of a tar archive as it passes, and fails where it is none, or not whole. */
export class TarEntries extends Writable {
  #count = 0;
  #ended = false;
  /** Of the header that is being read. */
  #header = Buffer.alloc(BLOCK);
  #filled = 0;
  /** Content and padding still to come. */
  #skip = 0;
  #extended: Buffer[] | undefined;
  #extendedLeft = 0;
  #nextSize: number | undefined;

  get count(): number {
    return this.#count;
  }

  override _write(piece: Buffer, _encoding: string, done: (error?: Error) => void): void {
    try {
      this.#take(piece);
      hasPassed(piece.length);
      done();
    } catch (error) {
      done(error as Error); // the cast: `#take` throws nothing else
    }
  }

  override _final(done: (error?: Error) => void): void {
    done(this.#ended ? undefined : new Error('the archive is cut short'));
  }

  #take(piece: Buffer): void {
    let at = 0;
    while (at < piece.length && !this.#ended) {
      if (this.#skip > 0) {
        const skipped = Math.min(this.#skip, piece.length - at);
        this.#keepExtended(piece.subarray(at, at + skipped));
        this.#skip -= skipped;
        at += skipped;
        if (this.#skip === 0) this.#endExtended();
        continue;
      }
      const taken = Math.min(BLOCK - this.#filled, piece.length - at);
      piece.copy(this.#header, this.#filled, at, at + taken);
      this.#filled += taken;
      at += taken;
      if (this.#filled === BLOCK) this.#readHeader();
    }
  }

  #readHeader(): void {
    this.#filled = 0;
    const header = this.#header;
    if (header.every((byte) => byte === 0)) {
      this.#ended = true;
      return;
    }
    if (checksum(header) !== octal(header, 148, 8)) throw new Error('the archive has a broken header');
    const type = String.fromCharCode(header[156] ?? 0);
    const about = ABOUT_OTHERS.includes(type);
    const size = (about ? undefined : this.#nextSize) ?? sizeOf(header);
    if (!about) {
      this.#count += 1;
      this.#nextSize = undefined;
    }
    if (type === EXTENDED) {
      if (size > EXTENDED_BYTES) throw new Error('the archive has an extended header that is too large');
      this.#extended = [];
      this.#extendedLeft = size;
    }
    this.#skip = Math.ceil(size / BLOCK) * BLOCK;
  }

  #keepExtended(piece: Buffer): void {
    if (this.#extended === undefined || this.#extendedLeft === 0) return;
    const kept = piece.subarray(0, this.#extendedLeft);
    this.#extended.push(Buffer.from(kept));
    this.#extendedLeft -= kept.length;
  }

  #endExtended(): void {
    if (this.#extended === undefined) return;
    const size = recordsOf(Buffer.concat(this.#extended).toString('latin1')).get('size');
    this.#extended = undefined;
    if (size !== undefined) this.#nextSize = wholeNumber(size);
  }
}

/** `<its own length> <name>=<value>\n`, one after the other. By length: a value, such as a path, may hold anything. */
function recordsOf(text: string): Map<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < text.length; ) {
    const [start = '', digits = ''] = /^(\d{1,9}) /.exec(text.slice(at, at + 10)) ?? [];
    const record = text.slice(at + start.length, at + Number(digits));
    const [, name, value] = /^([^=]+)=(.*)\n$/s.exec(record) ?? [];
    if (name === undefined || value === undefined)
      throw new Error('the archive has a broken extended header');
    records.set(name, value);
    at += Number(digits);
  }
  return records;
}

function wholeNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new Error('the archive has a size that is none');
}

/** Octal digits, or, where those don't do, a number of base 256. */
function sizeOf(header: Buffer): number {
  if (((header[124] ?? 0) & 0x80) === 0) return octal(header, 124, 12);
  return Number(header.readBigUInt64BE(128));
}

function octal(header: Buffer, at: number, length: number): number {
  const text = header.toString('latin1', at, at + length).replace(/[\0 ].*$/s, '');
  return text === '' ? 0 : Number.parseInt(text, 8);
}

/** The header's bytes, with blanks in the place of the sum itself. */
function checksum(header: Buffer): number {
  let sum = 8 * 32;
  for (let at = 0; at < BLOCK; at += 1) if (at < 148 || at >= 156) sum += header[at] ?? 0;
  return sum;
}
