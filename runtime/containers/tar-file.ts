const BLOCK = 512;
const CHECKSUM = { at: 148, length: 8 };

/** A tar archive of one small file that only root may read: its header, its text and the end. */
export function tarFile(name: string, text: string): Buffer {
  const content = Buffer.from(text);
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number) =>
    header.write(value.toString(8).padStart(length - 1, '0'), at, 'latin1');
  header.write(name, 0, 100, 'utf8');
  octal(0o600, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(content.length, 124, 12);
  octal(Math.floor(Date.now() / 1000), 136, 12);
  header.write('0', 156, 'latin1');
  header.write('ustar\x0000', 257, 'latin1');
  // The sum is that of a header with blanks in its own place.
  header.fill(' ', CHECKSUM.at, CHECKSUM.at + CHECKSUM.length);
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    CHECKSUM.at,
    CHECKSUM.length - 1,
  );
  header.writeUInt8(0, CHECKSUM.at + CHECKSUM.length - 2);
  const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
  return Buffer.concat([header, content, padding, Buffer.alloc(2 * BLOCK)]);
}
