import type { AgentClient } from '../agent-client/agent-client.ts';
import { AgentMisbehaved } from '../agent-client/agent-failures.ts';
import type { FileEntry } from '../contracts/agent-protocol.ts';
import { isBerthError } from '../contracts/errors.ts';
import type { BlobUploads } from './blob-uploads.ts';
import { checkListing } from './check-listing.ts';
import { planTree, type Skipped, withinBounds } from './plan-tree.ts';
import type { FileTree, SavedFile } from './saved-manifest.ts';
import type { Unread } from './upload-blob.ts';

/** How often files that change are looked at. */
const ROUNDS = 3;

export interface GatherOptions {
  exclude: readonly string[];
  maxBytes: number;
  signal: AbortSignal;
}

export interface Gathered {
  /** The content of each is in the store. */
  files: FileTree;
  skipped: Skipped;
  truncated: boolean;
}

/**
 * Brings the content of a container's files into the store. When one changes while it is read, all are looked at again.
 * One that does so in every round is taken as it was last read whole, in this save or the one before, or else left out.
 */
export async function gatherFiles(
  agent: AgentClient,
  uploads: BlobUploads,
  previous: FileTree,
  options: GatherOptions,
): Promise<Gathered> {
  const whole = new Map(previous);
  let look = await lookAt(agent, uploads, previous, options);
  let steady = look.changing;
  for (let round = 1; round < ROUNDS && look.changing.size > 0; round += 1) {
    remember(whole, look, uploads);
    look = await lookAt(agent, uploads, previous, options);
    steady = inBoth(steady, look.changing);
  }
  refuseSteady(steady);
  await proveAlive(agent, look, options.signal);
  return settle(look, whole, previous, options.maxBytes);
}

/** A file that was not what had been said of it. */
interface Changing {
  announced: FileEntry;
  unread: Unread;
}

interface Look extends Gathered {
  changing: ReadonlyMap<string, Changing>;
  vanished: readonly string[];
}

async function lookAt(
  agent: AgentClient,
  uploads: BlobUploads,
  previous: FileTree,
  { exclude, maxBytes, signal }: GatherOptions,
): Promise<Look> {
  const listing = await agent.listFiles(signal, exclude);
  const listed = checkListing(listing, uploads.sizes);
  const { files, skipped } = planTree(listed, listing, previous, maxBytes);
  const unread = await uploads.upload(files, signal);
  const changing = new Map<string, Changing>();
  for (const announced of listing.files) {
    const why = unread.get(announced.path);
    // Another path with the same content may have given it.
    if (why === undefined || why.kind === 'vanished' || uploads.sizes.has(announced.sha256)) continue;
    changing.set(announced.path, { announced, unread: why });
  }
  const vanished = [...unread].filter(([, { kind }]) => kind === 'vanished').map(([path]) => path);
  return { files, skipped, truncated: listing.truncated, changing, vanished };
}

function remember(whole: Map<string, SavedFile>, { files }: Look, { sizes }: BlobUploads): void {
  for (const [path, file] of files) if (sizes.has(file.sha256)) whole.set(path, file);
}

function inBoth(before: Look['changing'], now: Look['changing']): Look['changing'] {
  return new Map([...now].filter(([path, { announced }]) => isSame(announced, before.get(path)?.announced)));
}

function isSame(one: FileEntry, other: FileEntry | undefined): boolean {
  return one.sha256 === other?.sha256 && one.size === other.size && one.modified_at === other.modified_at;
}

/** What is the same in every list but never when it is read does not change: the list is wrong, or the connection bad. */
function refuseSteady(steady: Look['changing']): void {
  for (const { unread } of steady.values()) {
    if (unread.kind === 'broke-off') throw unread.error;
    throw new AgentMisbehaved('a file is never what its list says');
  }
}

/** Throws unless the agent is still there where a file broke off: an agent that ended is no file that changed. */
async function proveAlive(agent: AgentClient, { changing }: Look, signal: AbortSignal): Promise<void> {
  for (const [path, { unread }] of changing) {
    if (unread.kind !== 'broke-off') continue;
    const call = new AbortController();
    try {
      await agent.readFile(path, AbortSignal.any([signal, call.signal]));
    } catch (error) {
      if (!isBerthError(error)) throw error;
    } finally {
      call.abort();
    }
    return;
  }
}

function settle(look: Look, whole: FileTree, previous: FileTree, maxBytes: number): Gathered {
  const { skipped, truncated, changing, vanished } = look;
  if (changing.size === 0 && vanished.length === 0) return { files: look.files, skipped, truncated };
  const files = new Map(look.files);
  for (const path of [...changing.keys(), ...vanished]) files.delete(path);
  for (const path of changing.keys()) {
    const before = whole.get(path);
    if (before !== undefined) files.set(path, before);
  }
  const changed = [...changing.keys()].map((path) => ({
    path,
    reason: whole.has(path) ? 'it kept changing, and is saved as it was before' : 'it kept changing',
  }));
  const settled = withinBounds(files, previous, maxBytes);
  return { files: settled.files, skipped: [...skipped, ...changed, ...settled.skipped], truncated };
}
