import { TarError } from './header.ts';

/** The records of a pax header, each `<its whole length> <key>=<value>\n`. */
export function encodePax(records: Record<string, string>): Buffer {
  return Buffer.concat(Object.entries(records).map(([key, value]) => encodeRecord(key, value)));
}

/** The length counts its own digits, of which it may need one more than first thought. */
function encodeRecord(key: string, value: string): Buffer {
  const rest = Buffer.from(` ${key}=${value}\n`);
  let length = rest.length + String(rest.length).length;
  if (String(length).length + rest.length > length) length += 1;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

/** Values stay bytes: a path in them may be no UTF-8. */
export function decodePax(content: Buffer): Map<string, Buffer> {
  const records = new Map<string, Buffer>();
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at);
    const digits = content.toString('latin1', at, Math.max(space, at));
    const end = at + Number(digits);
    const equals = content.indexOf(0x3d, space);
    const isWhole = /^[1-9]\d{0,7}$/.test(digits) && end <= content.length && content[end - 1] === 0x0a;
    if (!isWhole || equals < space || equals >= end) throw new TarError('a pax header is malformed');
    records.set(content.toString('utf8', space + 1, equals), content.subarray(equals + 1, end - 1));
    at = end;
  }
  return records;
}
