import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

export interface FileLock {
  release(): void;
}

/**
 * Locks between processes that the kernel drops when their holder dies, however it dies. Node has no flock;
 * SQLite's transactions take exactly such locks on their file.
 */
export function tryLock(path: string, kind: 'exclusive' | 'shared'): FileLock | undefined {
  mkdirSync(dirname(path), { recursive: true });
  const file = new DatabaseSync(path, { timeout: 0 });
  try {
    file.exec(kind === 'exclusive' ? 'BEGIN EXCLUSIVE' : 'BEGIN; SELECT count(*) FROM sqlite_schema');
    return { release: () => file.close() };
  } catch (error) {
    file.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}

/** Waits for the lock; `waiting` is called once if it can't be had at once. */
export async function lock(path: string, waiting?: () => void): Promise<FileLock> {
  for (let attempt = 0; ; attempt++) {
    const held = tryLock(path, 'exclusive');
    if (held !== undefined) return held;
    if (attempt === 5) waiting?.();
    await sleep(100);
  }
}

function isBusy(error: unknown): boolean {
  const sqliteBusy = 5;
  return error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy;
}
