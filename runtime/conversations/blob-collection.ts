import type { Logger } from 'pino';
import type { ObjectStore } from '../objects/object-store.ts';
import { collectBlobs } from '../saving/collect-blobs.ts';
import { savedOwners } from '../saving/saved-owners.ts';
import type { ConversationStore } from '../state/conversation-store.ts';
import type { LeaseStore } from '../state/lease-store.ts';
import { Leadership } from '../sweep/leadership.ts';

interface Parts {
  store: ConversationStore;
  leases: LeaseStore;
  objects: ObjectStore;
  instance: string;
  log: Logger;
}

/** Deletes what saves left behind: content that no saved file has any more, a day after it was put. */
export class BlobCollection {
  readonly #parts: Parts;
  readonly #lead: Leadership;
  readonly #stop = new AbortController();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#lead = new Leadership(parts.leases, 'blobs', parts.instance);
  }

  /** One conversation that can't be looked at doesn't keep the others from it. Returns how many went. */
  async runOnce(): Promise<{ deleted: number }> {
    const { store, objects, log } = this.#parts;
    let deleted = 0;
    if (!(await this.#lead.held())) return { deleted };
    const now = await store.now();
    for await (const owner of savedOwners(objects)) {
      this.#stop.signal.throwIfAborted();
      try {
        // One that may be saving now is looked at when its container has gone.
        if ((await store.get(owner.tenant, owner.conversation)) !== undefined) continue;
        deleted += await collectBlobs(objects, owner, { now, signal: this.#stop.signal });
      } catch (error) {
        log.warn(
          { err: error, tenant: owner.tenant },
          'old content of a conversation could not be collected',
        );
      }
    }
    if (deleted > 0) log.info({ deleted }, 'collected content that nobody needs');
    return { deleted };
  }

  /** The turn under way ends soon. */
  stop(): void {
    this.#stop.abort();
  }

  async close(): Promise<void> {
    this.stop();
    await this.#lead.resign();
  }
}
