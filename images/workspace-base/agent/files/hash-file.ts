import { createHash } from 'node:crypto';
import { readSync } from 'node:fs';
import type { TimeSlice } from './time-slice.ts';

/**
 * The SHA-256 of the first `limit` bytes and how many there were. The limit is the size at opening: a
 * file that something keeps appending to has no end.
 */
export async function hashFile(
  fd: number,
  limit: number,
  slice: TimeSlice,
): Promise<{ sha256: string; size: number }> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(Math.min(limit, 256 * 1024));
  let size = 0;
  while (size < limit) {
    const read = readSync(fd, buffer, 0, Math.min(buffer.length, limit - size), null);
    if (read === 0) break;
    hash.update(buffer.subarray(0, read));
    size += read;
    await slice.rest();
  }
  await slice.rest();
  return { sha256: hash.digest('hex'), size };
}
