import type { Instant } from '../contracts/conversation-record.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { atATime } from './at-a-time.ts';
import { blobKey, blobsPrefix, type FilesOwner } from './saved-keys.ts';
import { readSavedManifest } from './saved-manifest.ts';

const KEPT_MS = 24 * 60 * 60 * 1000;
const BLOBS_AT_A_TIME = 5;

/**
 * Deletes blobs that the manifest does not name and that were put more than 24 h ago. A save that is under way has put
 * all blobs that it will name anew, or found them in the manifest; so the blobs are listed before the manifest is read,
 * and each is looked at once more just before it goes. Returns how many were deleted.
 */
export async function collectBlobs(
  objects: ObjectStore,
  owner: FilesOwner,
  { now, signal }: { now: Instant; signal: AbortSignal },
): Promise<number> {
  signal.throwIfAborted();
  const isOld = (blob: { modifiedAt: Instant } | undefined) =>
    blob !== undefined && now - blob.modifiedAt > KEPT_MS;
  const old = new Set<string>();
  for await (const blob of objects.list(blobsPrefix(owner))) if (isOld(blob)) old.add(blob.key);
  if (old.size === 0) return 0;
  const saved = await readSavedManifest(objects, owner);
  for (const { sha256 } of saved?.manifest.files.values() ?? []) old.delete(blobKey(owner, sha256));
  let deleted = 0;
  await atATime(BLOBS_AT_A_TIME, old, signal, async (key) => {
    if (!isOld(await objects.head(key))) return;
    await objects.delete([key]);
    deleted += 1;
  });
  return deleted;
}
