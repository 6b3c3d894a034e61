/** One block of a tar archive: headers are one, contents are filled up to a whole number of them. */
export const BLOCK = 512;

export interface TarHeader {
  /** As its bytes: whether they are a proper name is for the reader to judge. */
  path: Buffer;
  /** The type flag: '0' a file, '5' a directory, 'x' a pax header, … */
  type: string;
  size: number;
  mode: number;
  /** Seconds since 1970. */
  modifiedAt: number;
}

export class TarError extends Error {}

/** The largest number that eleven octal digits can hold. */
const MAX_OCTAL = 0o77777777777;

/** Makes a header block; undefined when the path or the size doesn't fit, which then needs a pax header. */
export function encodeHeader(header: TarHeader): Buffer | undefined {
  const names = splitName(header.path);
  if (!names || header.size > MAX_OCTAL) return undefined;
  const seconds = Math.min(Math.max(Math.floor(header.modifiedAt), 0), MAX_OCTAL);
  const block = Buffer.alloc(BLOCK);
  names.name.copy(block, 0);
  block.write(octal(header.mode & 0o777, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(header.size, 11), 124);
  block.write(octal(seconds, 11), 136);
  block.write(header.type, 156);
  block.write('ustar\x0000', 257);
  names.prefix.copy(block, 345);
  block.write(`${octal(checksum(block), 6)}\0 `, 148);
  return block;
}

/** Reads a header block; undefined for the empty one that ends an archive. */
export function decodeHeader(block: Buffer): TarHeader | undefined {
  if (block.every((byte) => byte === 0)) return undefined;
  if (readNumber(block.subarray(148, 156)) !== checksum(block)) {
    throw new TarError('a header has a wrong checksum, or this is no tar archive');
  }
  const name = untilNul(block.subarray(0, 100));
  // Only POSIX archives have a prefix there; GNU's own format keeps other things in its place.
  const isPosix = block.toString('latin1', 257, 263) === 'ustar\0';
  const prefix = isPosix ? untilNul(block.subarray(345, 500)) : Buffer.alloc(0);
  return {
    path: prefix.length > 0 ? Buffer.concat([prefix, Buffer.from('/'), name]) : name,
    type: String.fromCharCode(block[156] || 0x30),
    size: readNumber(block.subarray(124, 136)),
    mode: readNumber(block.subarray(100, 108)) & 0o777,
    modifiedAt: readNumber(block.subarray(136, 148)),
  };
}

/** How many zeros follow a content of this size. */
export function paddingOf(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

/** ASCII paths of up to 100 bytes, or of 155 and 100 around a slash. */
function splitName(path: Buffer): { name: Buffer; prefix: Buffer } | undefined {
  if (path.some((byte) => byte > 0x7e || byte < 0x20)) return undefined;
  if (path.length <= 100) return { name: path, prefix: Buffer.alloc(0) };
  const slash = path.indexOf('/', path.length - 101);
  if (slash < 1 || slash > 155 || slash === path.length - 1) return undefined;
  return { name: path.subarray(slash + 1), prefix: path.subarray(0, slash) };
}

/** The sum of the block's bytes, with its own field taken as spaces. */
function checksum(block: Buffer): number {
  let sum = 0;
  for (const [at, byte] of block.entries()) sum += at >= 148 && at < 156 ? 0x20 : byte;
  return sum;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}

/** The bytes before the first NUL, or all. */
export function untilNul(field: Buffer): Buffer {
  const end = field.indexOf(0);
  return end < 0 ? field : field.subarray(0, end);
}

/** Octal digits, or GNU's binary form for what they can't hold. */
function readNumber(field: Buffer): number {
  const first = field[0] ?? 0;
  if (first === 0x80) {
    const value = field.subarray(1).reduce((sum, byte) => sum * 256 + byte, 0);
    if (Number.isSafeInteger(value)) return value;
    throw new TarError('a number in a header is too large');
  }
  const digits = field.toString('latin1').replace(/\0.*$/s, '').trim();
  if (!/^[0-7]*$/.test(digits)) throw new TarError('a number in a header is malformed');
  return Number.parseInt(digits || '0', 8);
}
