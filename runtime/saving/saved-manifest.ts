import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import type { Instant } from '../contracts/conversation-record.ts';
import { BerthError } from '../contracts/errors.ts';
import { type ContainerId, parseContainerId } from '../contracts/ids.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { type FilesOwner, manifestKey } from './saved-keys.ts';
import { hasFileAsFolder, isTreePath } from './tree-path.ts';

export const MAX_ENTRIES = 50_000;
export const MAX_MANIFEST_BYTES = 16 * 1024 * 1024;

export interface SavedFile {
  /** Of its content, and the name of its blob. */
  sha256: string;
  size: number;
  /** Permission bits. */
  mode: number;
}

/** Files by their path. No path is both a file and a folder of others. */
export type FileTree = ReadonlyMap<string, SavedFile>;

export interface SavedManifest {
  /** Who saved it. */
  container: ContainerId;
  savedAt: Instant;
  /** Whether the container had more files than a manifest holds. */
  truncated: boolean;
  files: FileTree;
}

/** A manifest as it lies in the store. */
export interface StoredManifest {
  version: string;
  bytes: Buffer;
  manifest: SavedManifest;
}

const FORMAT = 1;

const savedFile = z.strictObject({
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  size: z.int().nonnegative(),
  mode: z.int().nonnegative().max(0o777),
});

const manifestJson = z.object({
  format: z.literal(FORMAT),
  container_id: z.string().transform((id, context) => {
    const container = parseContainerId(id);
    if (container !== undefined) return container;
    context.addIssue('it names no container');
    return z.NEVER;
  }),
  saved_at: z.iso.datetime().transform((time) => Date.parse(time)),
  truncated: z.boolean(),
  // As pairs: a file may have the name of any property, `__proto__` too.
  files: z
    .custom<object>((files) => typeof files === 'object' && files !== null)
    .transform((files) => Object.entries(files))
    .pipe(
      z
        .array(z.tuple([z.string().refine(isTreePath, 'it has a path that leads nowhere'), savedFile]))
        .max(MAX_ENTRIES),
    )
    .transform((entries) => new Map(entries))
    .refine((files) => !hasFileAsFolder(files.keys()), 'it has a file below a file'),
});

/** Equal manifests have equal bytes. */
export function writeManifest({ container, savedAt, truncated, files }: SavedManifest): Buffer {
  const byPath: Record<string, SavedFile> = Object.create(null);
  for (const path of [...files.keys()].sort()) {
    const file = files.get(path);
    if (file !== undefined) byPath[path] = { sha256: file.sha256, size: file.size, mode: file.mode };
  }
  const saved_at = new Date(savedAt).toISOString();
  return Buffer.from(
    JSON.stringify({ format: FORMAT, container_id: container, saved_at, truncated, files: byPath }),
  );
}

export function parseManifest(bytes: Buffer): SavedManifest {
  const { container_id, saved_at, truncated, files } = manifestJson.parse(JSON.parse(bytes.toString()));
  return { container: container_id, savedAt: saved_at, truncated, files };
}

/** What is saved of a conversation's files; undefined when nothing is. */
export async function readSavedManifest(
  objects: ObjectStore,
  owner: FilesOwner,
): Promise<StoredManifest | undefined> {
  const found = await objects.get(manifestKey(owner));
  if (found === undefined) return undefined;
  const { content, size, version } = found;
  if (size > MAX_MANIFEST_BYTES) {
    content.destroy();
    throw damaged(owner, `it has ${size} bytes`);
  }
  const bytes = await buffer(content);
  try {
    return { version, bytes, manifest: parseManifest(bytes) };
  } catch (error) {
    throw damaged(
      owner,
      error instanceof z.ZodError ? (error.issues[0]?.message ?? '') : String(error),
      error,
    );
  }
}

function damaged({ conversation }: FilesOwner, why: string, cause?: unknown): BerthError {
  return new BerthError('INTERNAL', `the saved manifest of ${conversation} can't be read: ${why}`, {}, cause);
}
