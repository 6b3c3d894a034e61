import type { ObjectStore } from '../objects/object-store.ts';
import { type FilesOwner, filesPrefix, manifestKey } from './saved-keys.ts';

const KEYS_AT_A_TIME = 1000;

/**
 * Deletes all that is saved of a conversation's files. The manifest goes first, so that what is left by a failure is
 * never taken for saved files. A container that had saved or restored them is stale from then on; one that never did
 * must not save meanwhile.
 */
export async function purgeSaved(
  objects: ObjectStore,
  owner: FilesOwner,
  { signal }: { signal?: AbortSignal } = {},
): Promise<void> {
  signal?.throwIfAborted();
  await objects.delete([manifestKey(owner)]);
  let keys: string[] = [];
  for await (const { key } of objects.list(filesPrefix(owner))) {
    keys.push(key);
    if (keys.length < KEYS_AT_A_TIME) continue;
    signal?.throwIfAborted();
    await objects.delete(keys);
    keys = [];
  }
  if (keys.length > 0) await objects.delete(keys);
}
