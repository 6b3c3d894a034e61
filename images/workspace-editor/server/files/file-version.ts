import type { BigIntStats } from 'node:fs';

/** Changes with every write to a file, and when another takes its place. */
export function versionOf({ ino, size, mtimeNs }: BigIntStats): string {
  return `"${ino.toString(36)}-${size.toString(36)}-${mtimeNs.toString(36)}"`;
}
