import type { Readable } from 'node:stream';
import type { FileManifest } from '../contracts/agent-protocol.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { WatchedContent } from './checked-content.ts';
import { openBlob } from './open-blob.ts';
import type { FilesOwner } from './saved-keys.ts';
import { readSavedManifest } from './saved-manifest.ts';

/** The saved files as an agent would list them; undefined when nothing is saved. Their time is that of the save. */
export async function listSavedFiles(
  objects: ObjectStore,
  owner: FilesOwner,
): Promise<FileManifest | undefined> {
  const saved = await readSavedManifest(objects, owner);
  if (saved === undefined) return undefined;
  const { files, savedAt, truncated } = saved.manifest;
  const modified_at = new Date(savedAt).toISOString();
  return {
    files: Array.from(files, ([path, { size, sha256, mode }]) => ({ path, size, sha256, mode, modified_at })),
    skipped: [],
    truncated,
  };
}

/** A saved file's content, to be read or destroyed; undefined when no such file is saved. */
export async function readSavedFile(
  objects: ObjectStore,
  owner: FilesOwner,
  path: string,
): Promise<{ size: number; content: Readable } | undefined> {
  const saved = await readSavedManifest(objects, owner);
  const file = saved?.manifest.files.get(path);
  if (file === undefined) return undefined;
  const { content, source } = await openBlob(objects, owner, path, file);
  const { stream } = new WatchedContent(content);
  stream.once('close', () => source.destroy());
  return { size: file.size, content: stream };
}
