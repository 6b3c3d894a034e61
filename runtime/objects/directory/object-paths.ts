import { join } from 'node:path';

// Where a key's file lies. Each segment is a folder, the last one a file; names are of lower case letters, digits and
// `._-`, every other byte as `%hh`, so that file systems which ignore case or normalise Unicode keep keys apart. What
// a name stands for shows by its last character, which no byte is written as, so that `a` and `a/b` don't meet.

/** A file: the key ends here. */
const OBJECT = '!';
/** A folder: the segment ends here. */
const SEGMENT = ',';
/** A folder: the segment goes on in the names below. */
const PART = '~';

/** Three characters a byte and the ending fit into the 255 bytes of a name. */
const PART_BYTES = 80;

const PLAIN = /[^a-z0-9._-]/g;

/** The path of a key's file, below the folder of all. */
export function pathOf(key: string): string {
  const segments = key.split('/');
  const last = segments.length - 1;
  return join(...segments.flatMap((segment, n) => namesOf(segment, n === last ? OBJECT : SEGMENT)));
}

/** What the name of a file or folder adds to the key, as its bytes; undefined for one that is not ours. */
export function bytesOf(name: string, kind: 'file' | 'folder'): string | undefined {
  const ending = name.at(-1);
  const bytes = decode(name.slice(0, -1));
  if (bytes === undefined) return undefined;
  if (kind === 'file') return ending === OBJECT ? bytes : undefined;
  if (ending === PART) return bytes;
  return ending === SEGMENT ? `${bytes}/` : undefined;
}

/** The bytes of a text, a character each: they compare as the bytes do. */
export const textToBytes = (text: string): string => Buffer.from(text).toString('latin1');
export const bytesToText = (bytes: string): string => Buffer.from(bytes, 'latin1').toString();

/**
 * A segment goes on below as long as it has `PART_BYTES` or more, and the rest, which may be empty, ends it. So no name
 * in a folder is the beginning of another that keys sort around.
 */
function namesOf(segment: string, ending: string): string[] {
  const bytes = textToBytes(segment);
  const parts = Math.floor(bytes.length / PART_BYTES);
  return Array.from({ length: parts + 1 }, (_, n) => {
    const part = bytes.slice(n * PART_BYTES, (n + 1) * PART_BYTES);
    return encode(part) + (n === parts ? ending : PART);
  });
}

function encode(bytes: string): string {
  return bytes.replace(PLAIN, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

function decode(name: string): string | undefined {
  if (!/^(?:[a-z0-9._-]|%[0-9a-f]{2})*$/.test(name)) return undefined;
  return name.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
