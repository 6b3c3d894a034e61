import { AgentMisbehaved } from '../agent-client/agent-failures.ts';
import type { FileManifest } from '../contracts/agent-protocol.ts';
import type { SavedFile } from './saved-manifest.ts';
import { hasFileAsFolder, isTreePath } from './tree-path.ts';

/**
 * The files that an agent lists, unless that can't be a tree of files: then `AgentMisbehaved`. `sizes` has those of
 * hashes that are known already. Whether a file really has its hash shows when it is read.
 */
export function checkListing(
  { files }: FileManifest,
  sizes: ReadonlyMap<string, number>,
): Map<string, SavedFile> {
  const listed = new Map<string, SavedFile>();
  const sizeOf = new Map<string, number>();
  for (const { path, sha256, size, mode } of files) {
    if (!isTreePath(path)) throw new AgentMisbehaved('a path in its list leads nowhere');
    if (listed.has(path)) throw new AgentMisbehaved('a path is in its list twice');
    if (size !== (sizes.get(sha256) ?? sizeOf.get(sha256) ?? size))
      throw new AgentMisbehaved('one hash is told with two sizes');
    sizeOf.set(sha256, size);
    listed.set(path, { sha256, size, mode: mode & 0o777 });
  }
  if (hasFileAsFolder(listed.keys())) throw new AgentMisbehaved('a file in its list is below another');
  return listed;
}
