import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type ContainerId, parseContainerId } from '../contracts/ids.ts';
import { SocketFolder } from './socket-folder.ts';

/** Longer than any creation takes: a younger folder may be one that another instance is filling. */
const YOUNG_MS = 10 * 60_000;

/**
 * Removes socket folders that a crash left behind: those without a container. The folders are read first, so that
 * one made meanwhile is not among them. `existing` must tell everyone's containers, not only ours.
 */
export async function removeStaleFolders(
  base: string,
  existing: () => Promise<ReadonlySet<ContainerId>>,
  now = Date.now(),
): Promise<void> {
  const found = (await readdir(base).catch(() => [])).flatMap((name) => parseContainerId(name) ?? []);
  if (found.length === 0) return;
  const containers = await existing();
  for (const id of found) {
    if (containers.has(id) || !(await isOlderThan(join(base, id), now - YOUNG_MS))) continue;
    // One that can't be removed must not stop the rest: the next start tries again.
    await new SocketFolder(base, id).remove().catch(() => {});
  }
}

async function isOlderThan(path: string, time: number): Promise<boolean> {
  const found = await stat(path).catch(() => undefined); // gone meanwhile
  return found !== undefined && found.mtimeMs < time;
}
