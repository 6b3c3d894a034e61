import type { FileManifest } from '../contracts/agent-protocol.ts';
import { LARGEST_OBJECT_BYTES } from '../objects/object-store.ts';
import { type FileTree, MAX_ENTRIES, MAX_MANIFEST_BYTES, type SavedFile } from './saved-manifest.ts';
import { inOrder } from './tree-path.ts';

export type Skipped = FileManifest['skipped'];

export interface TreePlan {
  files: FileTree;
  skipped: Skipped;
}

/** What the agent says of names that are no file of ours (any more). Other reasons: it could not look. */
const NO_FILE = new Set(['a link', 'not a regular file', 'the name is not UTF-8']);

/** Room that a file takes in the workspace at least a multiple of. */
const BLOCK_BYTES = 4096;

/** An entry apart from its path: quotes, hash, a size of at most 16 digits, mode. */
const MAX_ENTRY_BYTES = 130;
/** What JSON writes longer than it is. */
const ESCAPED = /["\\\p{Cc}]/u;

const MAX_JSON_BYTES = MAX_MANIFEST_BYTES - 1024;

/**
 * What should be saved: what is listed, and what was saved before of that which the agent could not look at or left out
 * because there is too much.
 */
export function planTree(
  listed: FileTree,
  { skipped, truncated }: Pick<FileManifest, 'skipped' | 'truncated'>,
  previous: FileTree,
  maxBytes: number,
): TreePlan {
  const unseen = truncated
    ? [...previous.keys()]
    : pathsBelow(
        previous,
        skipped.filter(({ reason }) => !NO_FILE.has(reason)).map(({ path }) => path),
      );
  const files = unseen.length === 0 ? listed : withKept(listed, previous, unseen);
  const plan = withinBounds(files, previous, maxBytes);
  return { files: plan.files, skipped: [...skipped, ...plan.skipped] };
}

/** Those of the files that are one of these paths, or below one. The empty path is the workspace itself. */
function pathsBelow(files: FileTree, paths: string[]): string[] {
  if (paths.length === 0 || paths.includes('')) return paths.length === 0 ? [] : [...files.keys()];
  const wanted = new Set(paths);
  return Array.from(inOrder(new Set([...paths, ...files.keys()])))
    .filter(
      ({ path, above }) =>
        files.has(path) && (wanted.has(path) || above.some((folder) => wanted.has(folder))),
    )
    .map(({ path }) => path);
}

/** Adds files of before, apart from those that what is listed stands in the way of. */
function withKept(listed: FileTree, previous: FileTree, unseen: string[]): FileTree {
  const files = new Map(listed);
  for (const path of unseen) {
    const file = previous.get(path);
    if (file !== undefined && !files.has(path)) files.set(path, file);
  }
  for (const { path, above } of inOrder(files.keys())) {
    // Neither two that are listed nor two of before: those are trees.
    for (const folder of above) files.delete(listed.has(path) ? folder : path);
  }
  return files;
}

/**
 * Leaves out what a manifest, an object or a workspace has no room for: nothing is saved that could not be restored.
 * Files that are saved already come first, and small ones before large ones.
 */
export function withinBounds(files: FileTree, previous: FileTree, maxBytes: number): TreePlan {
  if (fitsAll(files, maxBytes)) return { files, skipped: [] };
  const kept = new Map<string, SavedFile>();
  const skipped: Skipped = [];
  const room = { bytes: maxBytes, json: MAX_JSON_BYTES };
  for (const [path, file] of inOrderOfAdmission(files, previous)) {
    const bytes = bytesOf(file);
    const json = jsonBytesOf(path);
    if (bytes > room.bytes) {
      skipped.push({ path, reason: `too large: all files together may have ${maxBytes} bytes` });
    } else if (kept.size === MAX_ENTRIES || json > room.json) {
      skipped.push({ path, reason: `too many files: at most ${MAX_ENTRIES} are saved` });
    } else {
      kept.set(path, file);
      room.bytes -= bytes;
      room.json -= json;
    }
  }
  return { files: kept, skipped };
}

/** The usual case, without an order. */
function fitsAll(files: FileTree, maxBytes: number): boolean {
  if (files.size > MAX_ENTRIES) return false;
  let [bytes, json] = [0, 0];
  for (const [path, file] of files) {
    bytes += bytesOf(file);
    json += jsonBytesOf(path);
  }
  return bytes <= maxBytes && json <= MAX_JSON_BYTES;
}

/** What it takes of the workspace. */
function bytesOf({ size }: SavedFile): number {
  return size > LARGEST_OBJECT_BYTES ? Number.POSITIVE_INFINITY : Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
}

/** What it takes of the manifest at most. */
function jsonBytesOf(path: string): number {
  return Buffer.byteLength(ESCAPED.test(path) ? JSON.stringify(path) : path) + MAX_ENTRY_BYTES;
}

function inOrderOfAdmission(files: FileTree, previous: FileTree): [string, SavedFile][] {
  return [...files].sort(
    ([a, { size: sizeOfA }], [b, { size: sizeOfB }]) =>
      Number(previous.has(b)) - Number(previous.has(a)) || sizeOfA - sizeOfB || (a < b ? -1 : 1),
  );
}
