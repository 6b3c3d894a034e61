import type { AgentClient } from '../agent-client/agent-client.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { atATime } from './at-a-time.ts';
import { blobKey, type FilesOwner } from './saved-keys.ts';
import type { FileTree } from './saved-manifest.ts';
import { type Unread, uploadBlob } from './upload-blob.ts';

const UPLOADS_AT_A_TIME = 5;

/** The blobs of one save. What no manifest names may be collected at any moment, so it counts only once it is put anew. */
export class BlobUploads {
  readonly #objects: ObjectStore;
  readonly #owner: FilesOwner;
  readonly #agent: AgentClient;
  /** Sizes by the hashes that are in the store and stay there. */
  readonly #sizes: Map<string, number>;
  blobs = 0;
  bytes = 0;

  /** `previous`: what the manifest names that this save goes on from. */
  constructor(objects: ObjectStore, owner: FilesOwner, agent: AgentClient, previous: FileTree) {
    this.#objects = objects;
    this.#owner = owner;
    this.#agent = agent;
    this.#sizes = new Map(Array.from(previous.values(), ({ sha256, size }) => [sha256, size]));
  }

  get sizes(): ReadonlyMap<string, number> {
    return this.#sizes;
  }

  /** Uploads what is not in the store, each content once. Tells of the paths that it can't be read from. */
  async upload(files: FileTree, signal: AbortSignal): Promise<Map<string, Unread>> {
    const missing = [...files].filter(([, { sha256 }]) => !this.#sizes.has(sha256));
    const contents = Map.groupBy(missing, ([, { sha256 }]) => sha256);
    const unread = new Map<string, Unread>();
    await atATime(UPLOADS_AT_A_TIME, contents.values(), signal, async (copies, stop) => {
      for (const [path, file] of copies) {
        const key = blobKey(this.#owner, file.sha256);
        const outcome = await uploadBlob(this.#objects, key, this.#agent, path, file, stop);
        if (outcome === 'stored') {
          this.#sizes.set(file.sha256, file.size);
          this.blobs += 1;
          this.bytes += file.size;
          return;
        }
        unread.set(path, outcome);
      }
    });
    return unread;
  }
}
