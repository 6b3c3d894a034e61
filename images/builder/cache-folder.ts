import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where everything goes that is slow to make and good for the next run too. */
export function cacheFolder(...parts: string[]): string {
  const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'berth', ...parts);
  mkdirSync(folder, { recursive: true });
  return folder;
}
