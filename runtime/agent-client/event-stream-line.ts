/** Lines of a stream of server-sent events, looked at where they are: calls into Node cost more than the short ones have. */

const NEW_LINE = 10;
const SPACE = 32;
const COLON = 58;
const [ZERO, NINE] = [48, 57];
const [A, D, I, T] = [97, 100, 105, 116];
/** Most lines end within these; for the end of a longer one Node's own search is faster. */
const SHORT_LINE = 24;
/** More digits may be no safe integer. */
const DIGITS = 14;
const NUMBER_BYTES = 32;

/** Where the line that begins at `start` ends, or -1. */
export function lineEnd(bytes: Buffer, start: number): number {
  const near = Math.min(bytes.length, start + SHORT_LINE);
  for (let at = start; at < near; at += 1) if (bytes[at] === NEW_LINE) return at;
  return bytes.indexOf(NEW_LINE, near);
}

/** Of the fields that matter, the one that the line gives a value for. */
export function fieldOfLine(bytes: Buffer, start: number, end: number): 'id' | 'data' | undefined {
  const length = end - start;
  if (length >= 3 && bytes[start] === I && bytes[start + 1] === D && bytes[start + 2] === COLON) return 'id';
  const data =
    length >= 5 &&
    bytes[start] === D &&
    bytes[start + 1] === A &&
    bytes[start + 2] === T &&
    bytes[start + 3] === A &&
    bytes[start + 4] === COLON;
  return data ? 'data' : undefined;
}

/** The number that stands there; `NaN` for anything else. */
export function numberIn(bytes: Buffer, start: number, end: number): number {
  const first = bytes[start] === SPACE ? start + 1 : start;
  let number = 0;
  for (let at = first; at < end; at += 1) {
    const digit = bytes[at] ?? 0;
    if (digit < ZERO || digit > NINE || at - first > DIGITS) return numberInText(bytes, start, end);
    number = 10 * number + digit - ZERO;
  }
  return number;
}

function numberInText(bytes: Buffer, start: number, end: number): number {
  return end - start > NUMBER_BYTES ? Number.NaN : Number(bytes.toString('latin1', start, end));
}
