import { BerthError, isBerthError } from '../../contracts/errors.ts';
import { errorCode } from './object-file.ts';

const FULL = new Set(['ENOSPC', 'EDQUOT']);
/** The disk is away, broken or read-only, or the process is out of file handles. */
const AWAY = new Set(
  'ENOENT ENOTDIR EIO EROFS ESTALE ENODEV ENXIO ENOTCONN ETIMEDOUT EMFILE ENFILE'.split(' '),
);

/** What a failed step means to callers. */
export function explain(what: string, error: unknown): BerthError {
  if (isBerthError(error)) return error;
  const code = errorCode(error) ?? '';
  if (FULL.has(code)) {
    return new BerthError('DISK_FULL', `The disk of the object store had no room to ${what}.`, {}, error);
  }
  if (AWAY.has(code)) {
    return new BerthError('STORE_UNAVAILABLE', `The object store could not ${what} (${code}).`, {}, error);
  }
  const words = error instanceof Error ? error.message : String(error);
  return new BerthError('INTERNAL', `The object store could not ${what}: ${words}`, {}, error);
}
