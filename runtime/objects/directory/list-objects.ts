import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ListedObject } from '../object-store.ts';
import { absent, HEADER_BYTES } from './object-file.ts';
import { bytesOf, bytesToText, textToBytes } from './object-paths.ts';

const LOOKED_AT_ONCE = 32;

interface Entry {
  path: string;
  kind: 'file' | 'folder';
  /** All bytes of the key up to and with this name. */
  bytes: string;
}

/** Walks only the folders that keys with the prefix lie in. What is deleted meanwhile may be told or not. */
export async function* listObjects(root: string, prefix: string): AsyncGenerator<ListedObject> {
  yield* walk(root, '', textToBytes(prefix));
}

async function* walk(folder: string, before: string, prefix: string): AsyncGenerator<ListedObject> {
  const found = (await readdir(folder, { withFileTypes: true }).catch(absent)) ?? [];
  const entries = found
    .map((dirent) => entryOf(dirent, before))
    .filter((entry) => entry !== undefined)
    .filter(({ kind, bytes }) => bytes.startsWith(prefix) || (kind === 'folder' && prefix.startsWith(bytes)))
    .sort((a, b) => (a.bytes < b.bytes ? -1 : 1));
  for (let at = 0; at < entries.length; at += LOOKED_AT_ONCE) {
    const some = entries.slice(at, at + LOOKED_AT_ONCE);
    const looked = await Promise.all(
      some.map(async (entry) => ({
        ...entry,
        object: entry.kind === 'file' ? await look(entry) : undefined,
      })),
    );
    for (const { kind, path, bytes, object } of looked) {
      if (kind === 'folder') yield* walk(path, bytes, prefix);
      else if (object !== undefined) yield object;
    }
  }
}

function entryOf(dirent: Dirent, before: string): Entry | undefined {
  const kind = dirent.isFile() ? 'file' : dirent.isDirectory() ? 'folder' : undefined;
  const bytes = kind && bytesOf(dirent.name, kind);
  if (kind === undefined || bytes === undefined) return undefined;
  return { path: join(dirent.parentPath, dirent.name), kind, bytes: before + bytes };
}

async function look({ path, bytes }: Entry): Promise<ListedObject | undefined> {
  const stats = await lstat(path).catch(absent);
  if (stats === undefined) return undefined;
  return {
    key: bytesToText(bytes),
    size: stats.size - HEADER_BYTES,
    modifiedAt: Math.floor(stats.mtimeMs),
  };
}
