import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { StoredObject } from '../object-store.ts';

// A file is one line with the version, always of the same length, and then the content. It is never changed once it has
// its name: a new version is another file, moved into its place.

const HEADER = /^berth-object 1 ([0-9a-f]{32})\n$/;
export const HEADER_BYTES = 48;

export function headerOf(version: string): Buffer {
  return Buffer.from(`berth-object 1 ${version}\n`);
}

export interface OpenObject extends StoredObject {
  file: FileHandle;
}

/** Opens a file and reads what it says of itself; undefined when there is none. */
export async function openObject(path: string): Promise<OpenObject | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(absent);
  if (file === undefined) return undefined;
  try {
    const stats = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    const version = HEADER.exec(buffer.toString('latin1', 0, bytesRead))?.[1];
    if (version === undefined) throw new Error(`${path} does not begin as an object does`);
    return { file, version, size: stats.size - HEADER_BYTES, modifiedAt: Math.floor(stats.mtimeMs) };
  } catch (error) {
    await file.close();
    throw error;
  }
}

export async function headOf(path: string): Promise<StoredObject | undefined> {
  const opened = await openObject(path);
  if (opened === undefined) return undefined;
  const { file, ...head } = opened;
  await file.close();
  return head;
}

export function absent(error: unknown): undefined {
  if (errorCode(error) === 'ENOENT') return undefined;
  throw error;
}

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
