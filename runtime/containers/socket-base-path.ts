import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { MAX_BASE_BYTES } from './socket-folder.ts';

/**
 * The installation's own folder for sockets: below the given place, or the first usual one where it can be made.
 * Installations share a place but never a folder, so that none clears up another's.
 */
export function socketBasePath(options: {
  given: string | undefined;
  dataDir: string;
  installation: string;
}): string {
  const places =
    options.given === undefined
      ? ['/var/run/berth', join(options.dataDir, 'sockets'), join(tmpdir(), `berth-${process.getuid?.()}`)]
      : [resolve(options.given)];
  const own = createHash('sha256').update(options.installation).digest('hex').slice(0, 8);
  for (const place of places) {
    const path = join(place, own);
    // Whoever owns the place could put another folder in ours: of the usual places that is us, or nobody's.
    if (options.given === undefined && !canBeOurs(place)) continue;
    if (Buffer.byteLength(path) <= MAX_BASE_BYTES && canBeOurs(path)) return path;
  }
  throw new Error(
    `none of ${places.join(', ')} can hold the sockets: set WORKSPACE_SOCKET_BASE_PATH to a folder that this user ` +
      `may write to, with a path of at most ${MAX_BASE_BYTES - own.length - 1} bytes`,
  );
}

/** Made now or owned by us already: a folder that someone else owns is a trap. */
function canBeOurs(path: string): boolean {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const found = lstatSync(path);
    return found.isDirectory() && found.uid === process.getuid?.();
  } catch {
    return false; // the next place is tried, and the last failure names them all
  }
}
