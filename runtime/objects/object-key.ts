const LONGEST_KEY_BYTES = 1024;
/** Controls, unassigned, private and lone surrogates; line and paragraph separators. */
const NOT_PRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;

/** Throws unless every adapter can hold the key: non-empty printable segments, none `.` or `..`, 1024 bytes in all. */
export function checkKey(key: string): void {
  const problem = problemOf(key, key.split('/'));
  if (problem !== undefined) throw new TypeError(`${JSON.stringify(key)} is no object key: ${problem}`);
}

/** Throws unless some key can begin with it. */
export function checkPrefix(prefix: string): void {
  const whole = prefix.split('/').slice(0, -1);
  const problem = prefix === '' ? undefined : problemOf(prefix, whole);
  if (problem !== undefined)
    throw new TypeError(`No object key begins with ${JSON.stringify(prefix)}: ${problem}`);
}

export function isKey(text: string): boolean {
  return problemOf(text, text.split('/')) === undefined;
}

function problemOf(text: string, segments: string[]): string | undefined {
  if (segments.includes('')) return 'it has an empty segment';
  if (segments.includes('.') || segments.includes('..')) return 'it has a segment . or ..';
  if (NOT_PRINTABLE.test(text)) return 'it has characters that are not printable';
  if (Buffer.byteLength(text) > LONGEST_KEY_BYTES) return `it has more than ${LONGEST_KEY_BYTES} bytes`;
  return undefined;
}
