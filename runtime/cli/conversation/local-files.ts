import { createWriteStream, type Dirent, lstatSync, renameSync, rmSync, statSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { UsageError } from '../command-spec.ts';
import { shown } from '../terminal/escape.ts';

export interface FoundFiles {
  /** Ways below the folder. */
  files: string[];
  /** Links, devices and whatever else has no content to copy. */
  skipped: string[];
}

export function kindOf(path: string): 'file' | 'folder' | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  return stats.isDirectory() ? 'folder' : 'file';
}

export function mustBe(path: string): 'file' | 'folder' {
  const kind = kindOf(path);
  if (kind === undefined) throw new UsageError(`there is no ${shown(path)} here`);
  return kind;
}

/** Every file below a folder. Links are not followed: they could lead anywhere. */
export async function filesIn(folder: string): Promise<FoundFiles> {
  const found: FoundFiles = { files: [], skipped: [] };
  const look = async (below: string): Promise<void> => {
    const entries: Dirent[] = await readdir(join(folder, below), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(below, entry.name);
      if (entry.isDirectory()) await look(path);
      else (entry.isFile() ? found.files : found.skipped).push(path);
    }
  };
  await look('');
  return found;
}

/** Puts a stream into a file, which appears whole or not at all. A pipe or a device is written to as it is. */
export async function writeWhole(
  path: string,
  content: ReadableStream<Uint8Array>,
  { mode, signal }: { mode?: number | undefined; signal: AbortSignal },
): Promise<void> {
  const before = lstatSync(path, { throwIfNoEntry: false });
  const special = before !== undefined && !before.isFile();
  await mkdir(dirname(path), { recursive: true });
  const next = special ? path : `${path}.${process.pid}.part`;
  try {
    const file = createWriteStream(next, mode === undefined ? {} : { mode });
    await content.pipeTo(Writable.toWeb(file), { signal });
    if (!special) renameSync(next, path);
  } catch (error) {
    if (!special) rmSync(next, { force: true });
    throw error;
  }
}
