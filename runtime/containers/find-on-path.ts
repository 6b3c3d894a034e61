import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where a program is found on the given search path. */
export function findOnPath(program: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, program))
    .find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
