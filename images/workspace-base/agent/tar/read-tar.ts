import { ByteReader } from './byte-reader.ts';
import { BLOCK, decodeHeader, paddingOf, TarError, type TarHeader, untilNul } from './header.ts';
import { decodePax } from './pax.ts';

export interface TarEntry extends TarHeader {
  /** To be read before the next entry, or left. */
  content: AsyncIterable<Buffer>;
}

/** Far above what a path needs; a header that says more is not believed. */
const MAX_EXTENSION_BYTES = 64 * 1024;

/** What the headers before an entry say about it. */
type Extension = Partial<Pick<TarHeader, 'path' | 'size' | 'modifiedAt'>>;

/** The entries of an archive: ustar, pax and GNU's long names. Throws a TarError for anything malformed. */
export async function* readTar(source: AsyncIterator<Buffer>): AsyncGenerator<TarEntry> {
  const reader = new ByteReader(source);
  let extension: Extension = {};
  for (;;) {
    const header = decodeHeader(await reader.exactly(BLOCK));
    if (!header) break;
    if (header.type === 'x' || header.type === 'L' || header.type === 'g') {
      const content = await readExtension(reader, header);
      if (header.type === 'x') extension = { ...extension, ...parsePax(content) };
      if (header.type === 'L') extension.path = untilNul(content);
      continue; // 'g' speaks of the whole archive, and says nothing that matters here
    }
    const entry = { ...header, ...extension };
    extension = {};
    let left = entry.size;
    async function* content() {
      while (left > 0) {
        const piece = await reader.some(left);
        left -= piece.length;
        yield piece;
      }
    }
    yield { ...entry, content: content() };
    await reader.skip(left + paddingOf(entry.size));
  }
  await reader.finish();
}

async function readExtension(reader: ByteReader, header: TarHeader): Promise<Buffer> {
  if (header.size > MAX_EXTENSION_BYTES) throw new TarError('an extended header is too large');
  const content = await reader.exactly(header.size);
  await reader.skip(paddingOf(header.size));
  return content;
}

function parsePax(content: Buffer): Extension {
  const records = decodePax(content);
  const [path, size, mtime] = [records.get('path'), records.get('size'), records.get('mtime')];
  if ([...records.keys()].some((key) => key.startsWith('GNU.sparse.'))) {
    throw new TarError('sparse files are not supported');
  }
  return {
    ...(path && { path }),
    ...(size && { size: parseNumber(size, /^\d{1,15}$/) }),
    ...(mtime && { modifiedAt: parseNumber(mtime, /^-?\d{1,11}(\.\d*)?$/) }),
  };
}

function parseNumber(value: Buffer, form: RegExp): number {
  const text = value.toString('latin1');
  if (!form.test(text)) throw new TarError('a number in a pax header is malformed');
  return Number(text);
}
