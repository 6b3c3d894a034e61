import type { Readable } from 'node:stream';
import { BerthError } from '../contracts/errors.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { checked, OtherContent } from './checked-content.ts';
import { blobKey, type FilesOwner } from './saved-keys.ts';
import type { SavedFile } from './saved-manifest.ts';

export interface OpenBlob {
  /** Ends only if it is what was saved. */
  content: AsyncGenerator<Buffer>;
  /** What it comes from, to be destroyed by whoever does not read it to its end. */
  source: Readable;
}

/** The content of a saved file. One that is missing, or is not what was saved, throws, at the latest at its end. */
export async function openBlob(
  objects: ObjectStore,
  owner: FilesOwner,
  path: string,
  file: SavedFile,
): Promise<OpenBlob> {
  const found = await objects.get(blobKey(owner, file.sha256));
  if (found === undefined) throw damaged(path, 'it is not in the object store');
  return { source: found.content, content: undamaged(found.content, path, file) };
}

async function* undamaged(source: Readable, path: string, file: SavedFile): AsyncGenerator<Buffer> {
  try {
    yield* checked(source, file);
  } catch (error) {
    throw error instanceof OtherContent ? damaged(path, error.message, error) : error;
  }
}

function damaged(path: string, why: string, cause?: unknown): BerthError {
  return new BerthError(
    'INTERNAL',
    `the saved content of ${JSON.stringify(path)} is damaged: ${why}`,
    {},
    cause,
  );
}
