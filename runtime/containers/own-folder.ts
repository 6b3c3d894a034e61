import { lstat } from 'node:fs/promises';
import { BerthError } from '../contracts/errors.ts';

const WRITABLE_BY_OTHERS = 0o002;

/** Throws unless nobody but the runtime's user, root and their group can swap what is in the folder. */
export async function requireOwnFolder(path: string, setting: string): Promise<void> {
  const found = await lstat(path);
  const runtime = process.getuid?.();
  const owned = found.uid === runtime || found.uid === 0;
  if (found.isDirectory() && owned && (found.mode & WRITABLE_BY_OTHERS) === 0) return;
  throw new BerthError(
    'CONTAINER_CREATE_FAILED',
    `${path} must be a folder of the runtime's user that others can't write to; mend it, or name another in ${setting}`,
  );
}
