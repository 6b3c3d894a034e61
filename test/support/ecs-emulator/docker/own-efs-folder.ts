import { readdirSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDead, thisProcess } from './owner.ts';

const NAME = /^berth-efs-(\d+)-(\d+)-/;

/** The folder of an emulator that was given none. It is made when the first file system is used. */
export function ownEfsFolder(emulator: string): string {
  const [, pid, started] = thisProcess().split('/');
  return join(tmpdir(), `berth-efs-${pid}-${started}-${emulator}`);
}

/** Removes those whose process has ended. */
export function removeLeftEfsFolders(): void {
  for (const name of readdirSync(tmpdir())) {
    const [, pid, started] = NAME.exec(name) ?? [];
    if (pid === undefined || !isDead(`${hostname()}/${pid}/${started}`)) continue;
    rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
}
