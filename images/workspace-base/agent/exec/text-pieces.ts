import { isUtf8 } from 'node:buffer';

/** A piece of output as text; with its bytes, in base64, where the text does not say them. */
export interface TextPiece {
  text: string;
  bytes?: string;
}

const NOTHING = Buffer.alloc(0);

/** Text out of bytes, however those are cut: a character whose end has not come is kept for the next piece. */
export class TextPieces {
  #held: Buffer = NOTHING;

  /** The chunk is only lent. */
  take(chunk: Buffer): TextPiece {
    const all = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const whole = all.length - unfinished(all);
    this.#held = whole === all.length ? NOTHING : Buffer.from(all.subarray(whole));
    return piece(all.subarray(0, whole));
  }

  end(): TextPiece {
    const rest = this.#held;
    this.#held = NOTHING;
    return piece(rest);
  }
}

function piece(bytes: Buffer): TextPiece {
  const text = bytes.toString('utf8');
  return isUtf8(bytes) ? { text } : { text, bytes: bytes.toString('base64') };
}

/** How many bytes at the end are the beginning of a character. */
function unfinished(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0b1100_0000) !== 0b1000_0000) return lengthBy(byte) > back ? back : 0;
  }
  return 0;
}

/** Of a character that begins so. */
function lengthBy(first: number): number {
  if (first >= 0xf0 && first < 0xf5) return 4;
  if (first >= 0xe0) return first < 0xf0 ? 3 : 1;
  return first >= 0xc2 ? 2 : 1;
}
