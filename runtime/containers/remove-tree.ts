import { chmod, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

const ATTEMPTS = 3;

/** Removes a folder with all in it, also what its user made unreadable. Links are removed, never followed. */
export async function removeTree(path: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await rm(path, { recursive: true, force: true });
    } catch (error) {
      // A removal that failed goes on for a moment with what is beside the place it failed at.
      if (!isCode(error, 'EACCES', 'EPERM', 'ENOTEMPTY') || attempt === ATTEMPTS) throw error;
      await openUp(path);
    }
  }
}

async function openUp(folder: string): Promise<void> {
  try {
    await chmod(folder, 0o700);
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) await openUp(join(folder, entry.name));
    }
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error; // gone meanwhile, which is what is wanted
  }
}

function isCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
