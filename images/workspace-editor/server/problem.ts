/** The HTTP status of every refusal; a code without one does not compile. */
const STATUS = {
  INVALID_REQUEST: 400,
  INVALID_PATH: 400,
  FOREIGN_ORIGIN: 403,
  NOT_PERMITTED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  EXISTS: 409,
  CHANGED: 412,
  TOO_LARGE: 413,
  NOT_TEXT: 415,
  TOO_MANY: 429,
  INTERNAL: 500,
  NO_TERMINALS: 501,
  DISK_FULL: 507,
} as const;

export type ProblemCode = keyof typeof STATUS;

/** A refusal that the user is told about: its message is shown as it is. */
export class Problem extends Error {
  readonly code: ProblemCode;

  constructor(code: ProblemCode, message: string) {
    super(message);
    this.code = code;
  }

  get status(): number {
    return STATUS[this.code];
  }
}

const BY_ERRNO: Readonly<Record<string, readonly [ProblemCode, string]>> = {
  ENOENT: ['NOT_FOUND', 'There is no such file or folder.'],
  ENOTDIR: ['NOT_FOUND', 'A part of this path is a file, not a folder.'],
  EISDIR: ['INVALID_PATH', 'This is a folder.'],
  EEXIST: ['EXISTS', 'There is something of this name already.'],
  ENOTEMPTY: ['EXISTS', 'There is a folder of this name already.'],
  EINVAL: ['INVALID_PATH', 'A folder cannot go into itself.'],
  ELOOP: ['INVALID_PATH', 'This link leads back to itself.'],
  ENAMETOOLONG: ['INVALID_PATH', 'This name is too long.'],
  EACCES: ['NOT_PERMITTED', 'You may not do this here.'],
  EPERM: ['NOT_PERMITTED', 'You may not do this here.'],
  EROFS: ['NOT_PERMITTED', 'This place is read-only.'],
  ENOSPC: ['DISK_FULL', 'The disk is full.'],
  EDQUOT: ['DISK_FULL', 'The disk is full.'],
};

/** What a failed system call means to the user; anything else is a fault of ours and stays as it is. */
export function asProblem(error: unknown): unknown {
  const known = BY_ERRNO[errnoOf(error) ?? ''];
  return known === undefined ? error : new Problem(...known);
}

/** The `code` of a system error (`ENOENT`, …), or undefined for anything else. */
export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
