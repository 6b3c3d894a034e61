import { isUtf8 } from 'node:buffer';
import { type Dirent, readdirSync } from 'node:fs';
import { Problem } from '../problem.ts';
import type { NamePredicate } from './excluded-names.ts';
import { fileProblem, isMissing } from './file-problem.ts';
import { OpenDirectory } from './open-inside.ts';
import { isTemporaryName, joinPath } from './workspace-path.ts';

type Found = { kind: 'file' | 'directory'; path: string } | { kind: 'skipped'; path: string; reason: string };

/**
 * Everything below a directory of the workspace, links in it never followed. Paths are names of the moment:
 * whoever opens one must be ready not to find it, or to find something else.
 */
export function* walk(root: string, start: string, excluded: NamePredicate = () => false): Generator<Found> {
  const waiting = [start];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    for (const found of listDirectory(root, path, path === start ? 'follow' : 'refuse', excluded)) {
      if (found.kind === 'directory') waiting.push(found.path);
      yield found;
    }
  }
}

/** The entries of one directory; none when it is gone, and itself as skipped when it can't be read. */
export function listDirectory(
  root: string,
  path: string,
  links: 'follow' | 'refuse',
  excluded: NamePredicate,
): Found[] {
  try {
    const directory = new OpenDirectory(root, path, links);
    try {
      const entries = readdirSync(directory.here, { encoding: 'buffer', withFileTypes: true });
      const isHidden = (name: string): boolean => isTemporaryName(name) || excluded(name);
      return entries
        .filter((entry) => !isHidden(entry.name.toString()))
        .map((entry) => classify(path, entry));
    } finally {
      directory.close();
    }
  } catch (error) {
    const problem = fileProblem(error, path);
    if (isMissing(problem)) return []; // it went meanwhile
    if (problem instanceof Problem) return [{ kind: 'skipped', path, reason: problem.message }];
    throw error;
  }
}

function classify(parent: string, entry: Dirent<Buffer>): Found {
  if (!isUtf8(entry.name)) {
    const path = joinPath(parent, escapeBytes(entry.name));
    return { kind: 'skipped', path, reason: 'the name is not UTF-8' };
  }
  const path = joinPath(parent, entry.name.toString());
  if (entry.isFile()) return { kind: 'file', path };
  if (entry.isDirectory()) return { kind: 'directory', path };
  return { kind: 'skipped', path, reason: entry.isSymbolicLink() ? 'a link' : 'not a regular file' };
}

/** A name to look at, not to open: what is not printable ASCII as `\xff`. */
function escapeBytes(name: Buffer): string {
  const show = (byte: number): string =>
    byte > 0x1f && byte < 0x7f && byte !== 0x5c
      ? String.fromCharCode(byte)
      : `\\x${byte.toString(16).padStart(2, '0')}`;
  return Array.from(name, show).join('');
}
