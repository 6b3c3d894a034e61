import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tryLock } from '../../../images/builder/file-lock.ts';
import { endRecorded } from './daemon.ts';

const prefix = 'berth-run-';
/** Daemons of a run write their record under this ending, so that any later run can end them. */
export const recordEnding = '.process.json';

export interface RunFolder {
  readonly path: string;
  remove(): void;
}

/** A folder for one run, held by a lock for as long as the run lives. */
export function makeRunFolder(): RunFolder {
  const path = mkdtempSync(join(tmpdir(), prefix));
  const held = tryLock(join(path, 'lock'), 'exclusive');
  return {
    path,
    remove: () => {
      rmSync(path, { recursive: true, force: true });
      held?.release();
    },
  };
}

/** Ends the daemons of runs that died without doing so, and removes their folders. */
export async function clearDeadRuns(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(prefix))) {
    await clearIfDead(join(tmpdir(), name));
  }
}

async function clearIfDead(path: string): Promise<void> {
  let held: ReturnType<typeof tryLock>;
  try {
    held = tryLock(join(path, 'lock'), 'exclusive');
  } catch {
    return; // another user's, or removed at this moment by its own run
  }
  if (held === undefined) return;
  for (const record of readdirSync(path).filter((entry) => entry.endsWith(recordEnding))) {
    await endRecorded(join(path, record));
  }
  rmSync(path, { recursive: true, force: true });
  held.release();
}
