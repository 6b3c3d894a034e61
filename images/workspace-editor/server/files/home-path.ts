import { join } from 'node:path';
import { Problem } from '../problem.ts';

const MAX_LENGTH = 4096;

/** Where a path of the API lies: relative to home, `/` between names; the empty one is home itself. */
export function homePath(home: string, given: string | null): string {
  if (given === null) throw new Problem('INVALID_REQUEST', 'The path is missing.');
  if (given.length > MAX_LENGTH) throw new Problem('INVALID_PATH', 'This path is too long.');
  if (given === '') return home;
  if (given.includes('\0') || given.split('/').some((name) => ['', '.', '..'].includes(name)))
    throw new Problem('INVALID_PATH', 'A path has names with / between them, and none of them is . or ..');
  return join(home, given);
}

/** As `homePath`, for what must not be home itself. */
export function pathInHome(home: string, given: string | null): string {
  const path = homePath(home, given);
  if (path === home) throw new Problem('INVALID_PATH', 'Home itself stays as it is.');
  return path;
}
