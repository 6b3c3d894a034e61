import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';
import { LARGE_PIECE_BYTES, LargePieces } from '../containers/large-pieces.ts';
import { BerthError, isBerthError } from '../contracts/errors.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { Hashing } from './hashing.ts';
import { TarEntries } from './tar-entries.ts';

/** Reads an archive to its end: what it hashes to, and how many entries it has. Throws where it is none. */
export async function readBack(
  objects: ObjectStore,
  key: string,
  signal: AbortSignal,
): Promise<{ sha256: string; entries: number }> {
  const found = await objects.get(key);
  if (found === undefined) throw new BerthError('ARCHIVE_FAILED', `${key} is not there after it was written`);
  const hashing = new Hashing();
  const entries = new TarEntries();
  try {
    const decompress = createZstdDecompress({ chunkSize: LARGE_PIECE_BYTES });
    await pipeline(found.content, hashing, new LargePieces(), decompress, entries, { signal });
  } catch (error) {
    signal.throwIfAborted();
    if (isBerthError(error)) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new BerthError('ARCHIVE_FAILED', `${key} can't be read back: ${why}`, {}, error);
  }
  return { sha256: hashing.sha256(), entries: entries.count };
}
