import { errnoOf, Problem } from '../problem.ts';
import { showPath } from './workspace-path.ts';

/** What the caller is told about a system error on a path; other errors stay what they are. */
export function fileProblem(error: unknown, path: string): unknown {
  const invalid = (why: string) => new Problem('INVALID_PATH', `${why}: ${showPath(path)}`);
  switch (errnoOf(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new Problem('FILE_NOT_FOUND', `there is no such file: ${showPath(path)}`);
    case 'EISDIR':
    case 'ENOTEMPTY':
      return invalid('the path is a directory');
    case 'ELOOP':
      return invalid('the path has too many links, or one where none is allowed');
    case 'ENAMETOOLONG':
      return invalid('the path is too long');
    case 'ENXIO':
    case 'ENODEV':
      return invalid('the path is not a regular file');
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return invalid('the path is not accessible');
    case 'ENOSPC':
    case 'EDQUOT':
      return new Problem('DISK_FULL', `the workspace is full: ${showPath(path)}`);
    default:
      return error;
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Problem && error.code === 'FILE_NOT_FOUND';
}
