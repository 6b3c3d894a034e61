import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContainerId } from '../contracts/ids.ts';
import { removeTree } from './remove-tree.ts';
import { isSocketFolderName, socketFolderName } from './socket-folder.ts';

/** Longer than any creation takes: a younger folder may be one that another instance is filling. */
const YOUNG_MS = 10 * 60_000;

/**
 * Removes socket folders that a crash left behind: those without a container. The folders are read first, so that
 * one made meanwhile is not among them. `existing` must tell everyone's containers, not only ours.
 */
export async function removeStaleFolders(
  base: string,
  existing: () => Promise<readonly ContainerId[]>,
  now = Date.now(),
): Promise<void> {
  const found = (await readdir(base).catch(() => [])).filter(isSocketFolderName);
  if (found.length === 0) return;
  const used = new Set((await existing()).map(socketFolderName));
  for (const name of found) {
    const path = join(base, name);
    if (used.has(name) || !(await isOlderThan(path, now - YOUNG_MS))) continue;
    // One that can't be removed must not stop the rest: the next start tries again.
    await removeTree(path).catch(() => {});
  }
}

async function isOlderThan(path: string, time: number): Promise<boolean> {
  const found = await stat(path).catch(() => undefined); // gone meanwhile
  return found !== undefined && found.mtimeMs < time;
}
