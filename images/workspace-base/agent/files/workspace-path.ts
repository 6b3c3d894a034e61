import { Problem } from '../problem.ts';

declare const checked: unique symbol;

/** A path below the workspace: relative, whole, and without a way up. Links in it are another matter. */
export type WorkspacePath = string & { readonly [checked]: true };

const MAX_PATH_BYTES = 4096;
const MAX_NAME_BYTES = 255;
const SHOWN_LENGTH = 200;

/** Names that the agent gives to files while it writes them. */
const TEMPORARY = /^\.berth-[0-9a-f]{16}\.tmp$/;

export function isTemporaryName(name: string): boolean {
  return TEMPORARY.test(name);
}

/** Checks a path that came from outside; throws INVALID_PATH. */
export function parseWorkspacePath(path: string): WorkspacePath {
  const refuse = (why: string) => new Problem('INVALID_PATH', `${why}: ${showPath(path)}`);
  if (path === '') throw refuse('the path is empty');
  if (path.startsWith('/')) throw refuse('the path must be relative to the workspace');
  if (path.includes('\0')) throw refuse('the path holds a NUL');
  if (!path.isWellFormed()) throw refuse('the path is not valid Unicode');
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) throw refuse('the path is too long');
  for (const name of path.split('/')) {
    if (name === '') throw refuse('the path has an empty segment');
    if (name === '.' || name === '..') throw refuse('the path has a . or .. segment');
    if (Buffer.byteLength(name) > MAX_NAME_BYTES) throw refuse('a name in the path is too long');
    if (isTemporaryName(name)) throw refuse('the name is reserved');
  }
  return path as WorkspacePath; // what the checks above have shown
}

/** The same from a URL, where it is percent-encoded. */
export function decodeWorkspacePath(encoded: string): WorkspacePath {
  let path: string;
  try {
    path = decodeURIComponent(encoded);
  } catch {
    throw new Problem('INVALID_PATH', `the path is not percent-encoded UTF-8: ${showPath(encoded)}`);
  }
  return parseWorkspacePath(path);
}

/** A path as part of a message: no longer than a line. */
export function showPath(path: string): string {
  return path.length > SHOWN_LENGTH ? `${path.slice(0, SHOWN_LENGTH)}…` : path;
}

export function splitPath(path: string): { parent: string; name: string } {
  const at = path.lastIndexOf('/');
  return { parent: path.slice(0, Math.max(at, 0)), name: path.slice(at + 1) };
}

export function joinPath(parent: string, name: string): string {
  return parent === '' ? name : `${parent}/${name}`;
}
