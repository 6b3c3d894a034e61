import { basename, join } from 'node:path';
import type { FoundFile } from './list-folder.ts';

/** Where a file of this machine goes in a conversation. */
export function remoteTarget(from: string, to: { path: string; folder: boolean }): string {
  if (!to.folder) return to.path;
  // `.` and `..` have no name of their own: what is in them goes there.
  const name = /(^|\/)\.{0,2}$/.test(from) ? withoutDots(from) : basename(from);
  return [to.path, name].filter((part) => part !== '').join('/');
}

/** `src/` is `src`; `.`, `src/.` and `..` are what is in them. */
function withoutDots(path: string): string {
  return /(^|\/)\.{1,2}$/.test(path) ? '' : basename(path);
}

/** Where a file of a conversation goes on this machine. */
export function localTarget(path: string, to: string, toIsFolder: boolean): string {
  return toIsFolder ? join(to, basename(path)) : to;
}

/** The files at or below a path, each with the rest of its way; none where there is nothing. */
export function filesBelow(files: readonly FoundFile['file'][], path: string): FoundFile[] {
  if (path === '') return files.map((file) => ({ file, rest: file.path }));
  return files.flatMap((file) => {
    if (file.path === path) return [{ file, rest: '' }];
    return file.path.startsWith(`${path}/`) ? [{ file, rest: file.path.slice(path.length + 1) }] : [];
  });
}

/** Whether a name that the service told leads out of the folder that it is put into. */
export function leadsOut(rest: string): boolean {
  return rest.startsWith('/') || rest.includes('\0') || rest.split('/').includes('..');
}
