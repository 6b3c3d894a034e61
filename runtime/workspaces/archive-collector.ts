import type { Logger } from 'pino';
import type { DatabaseOf } from '../database/database.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { metaKey } from './archive-key.ts';

/** How long an archive is kept that nobody needs any more. */
export const UNWANTED_SECONDS = 2 * 3600;
const AT_ONCE = 100;

interface Parts {
  database: DatabaseOf<'reconciler'>;
  objects: Pick<ObjectStore, 'delete'>;
  log: Logger;
}

/** Removes archives that were superseded, given up, or whose workspace is deleted: by their exact keys. */
export class ArchiveCollector {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Resolves with how many went. */
  async runOnce(): Promise<number> {
    const { database, objects, log } = this.#parts;
    const { reconciler } = database.workspaces;
    let gone = 0;
    for (;;) {
      const keys = await reconciler.unwantedArchives(UNWANTED_SECONDS, AT_ONCE);
      // What makes it an archive goes first.
      await objects.delete(keys.map(metaKey));
      await objects.delete(keys);
      for (const key of keys) await reconciler.forgetArchive(key);
      gone += keys.length;
      if (keys.length > 0) log.info({ archives: keys.length }, 'removed archives that nobody needs');
      if (keys.length < AT_ONCE) return gone;
    }
  }
}
