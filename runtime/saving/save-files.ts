import type { AgentClient } from '../agent-client/agent-client.ts';
import { CONVERSATION_TMPFS } from '../contracts/container-limits.ts';
import type { Instant } from '../contracts/conversation-record.ts';
import { BerthError } from '../contracts/errors.ts';
import type { ContainerId } from '../contracts/ids.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { BlobUploads } from './blob-uploads.ts';
import { type Gathered, gatherFiles } from './gather-files.ts';
import type { Skipped } from './plan-tree.ts';
import { type FilesOwner, manifestKey } from './saved-keys.ts';
import {
  type FileTree,
  readSavedManifest,
  type SavedManifest,
  type StoredManifest,
  writeManifest,
} from './saved-manifest.ts';

/** How often a save begins again because another of the same container came between. */
const ATTEMPTS = 3;

export interface SavingContainer extends FilesOwner {
  container: ContainerId;
  /** The version that its files were restored from or last saved as; null when there was none. */
  savedVersion: string | null;
}

export interface SaveOptions {
  /** Names that are left out, wherever in the tree: `node_modules`, `*.pyc`. */
  exclude: readonly string[];
  signal: AbortSignal;
  now: Instant;
  /** What all files may have together. Default: what fits into `/workspace`. */
  maxBytes?: number;
  /** Called between effects that a crash may come between. */
  checkpoint?: (name: 'save.blobs' | 'save.manifest') => Promise<void> | void;
}

export interface SaveReport {
  /** How many files are saved. */
  files: number;
  /** What is not saved as it is now, and why. */
  skipped: Skipped;
  /** Whether there are more files than were looked at; those saved before are kept. */
  truncated: boolean;
  uploaded: { blobs: number; bytes: number };
}

export type SaveResult =
  | ({ kind: 'saved'; version: string } & SaveReport)
  /** Nothing was written. The version is null where nothing is saved and there is nothing to save. */
  | ({ kind: 'unchanged'; version: string | null } & SaveReport)
  /** Another container has saved since, or the files were purged: this one's are of no use any more. */
  | { kind: 'stale' };

/**
 * Saves the files of a container: what is not in the store yet, then the manifest, in one step. Until then, and
 * when anything fails, what was saved before stays as it is.
 */
export async function saveFiles(
  objects: ObjectStore,
  owner: SavingContainer,
  agent: AgentClient,
  options: SaveOptions,
): Promise<SaveResult> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const result = await trySave(objects, owner, agent, options);
    if (result !== 'overtaken') return result;
  }
  throw new BerthError('INTERNAL', `other saves of ${owner.container} keep coming between`);
}

async function trySave(
  objects: ObjectStore,
  owner: SavingContainer,
  agent: AgentClient,
  options: SaveOptions,
): Promise<SaveResult | 'overtaken'> {
  const { exclude, signal, now, checkpoint, maxBytes = CONVERSATION_TMPFS['/workspace'] } = options;
  signal.throwIfAborted();
  const current = await readSavedManifest(objects, owner);
  if (!isOurs(current, owner)) return { kind: 'stale' };
  const previous: FileTree = current?.manifest.files ?? new Map();
  const uploads = new BlobUploads(objects, owner, agent, previous);
  const gathered = await gatherFiles(agent, uploads, previous, { exclude, maxBytes, signal });
  const { files, skipped, truncated } = gathered;
  const report = {
    files: files.size,
    skipped,
    truncated,
    uploaded: { blobs: uploads.blobs, bytes: uploads.bytes },
  };
  if (isUnchanged(current?.manifest, gathered))
    return { kind: 'unchanged', version: current?.version ?? null, ...report };
  await checkpoint?.('save.blobs');
  const manifest = { container: owner.container, savedAt: now, truncated, files };
  const written = await commit(objects, owner, manifest, current, signal);
  if (written === 'overtaken') return written;
  if (written === 'stale') return { kind: 'stale' };
  await checkpoint?.('save.manifest');
  return { kind: 'saved', ...written, ...report };
}

/** Whether a container may go on from what is saved: it is what it had, or what it saved itself. */
function isOurs(current: StoredManifest | undefined, owner: SavingContainer): boolean {
  if (current === undefined) return owner.savedVersion === null;
  return current.version === owner.savedVersion || current.manifest.container === owner.container;
}

function isUnchanged(before: SavedManifest | undefined, { files, truncated }: Gathered): boolean {
  if (before === undefined) return files.size === 0 && !truncated;
  if (before.truncated !== truncated || before.files.size !== files.size) return false;
  return [...files].every(([path, { sha256, mode }]) => {
    const was = before.files.get(path);
    return was?.sha256 === sha256 && was.mode === mode;
  });
}

/** Replaces just the manifest that the save went on from. */
async function commit(
  objects: ObjectStore,
  owner: SavingContainer,
  manifest: SavedManifest,
  current: StoredManifest | undefined,
  signal: AbortSignal,
): Promise<{ version: string } | 'stale' | 'overtaken'> {
  const bytes = writeManifest(manifest);
  const condition = current === undefined ? { absent: true as const } : { version: current.version };
  const stored = await objects.put(manifestKey(owner), bytes, { size: bytes.length, condition, signal });
  if (stored !== 'conflict') return stored;
  const there = await readSavedManifest(objects, owner);
  if (there === undefined) return 'stale';
  // The store may have taken it and failed to say so, and then refused it the second time.
  if (there.bytes.equals(bytes)) return { version: there.version };
  return there.manifest.container === owner.container ? 'overtaken' : 'stale';
}
