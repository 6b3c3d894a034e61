import type { Logger } from 'pino';
import type { DatabaseOf } from '../database/database.ts';
import type { QuietWorkspace, Written } from '../database/workspaces.ts';
import type { ActivityStore } from '../state/activity-store.ts';

interface Parts {
  database: DatabaseOf<'ttl'>;
  activity: Pick<ActivityStore, 'inUse'>;
  /** Where a workspace has none of its own. */
  standbySeconds: number;
  archiveSeconds: number;
  log: Logger;
}

/** Wants less of what nobody uses: RUNNING → STANDBY → archived. It says only what is wanted, and never against the user. */
export class TtlManager {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Resolves with how many it has spoken about. */
  async runOnce(): Promise<number> {
    return (await this.#standby()) + (await this.#archive());
  }

  async #standby(): Promise<number> {
    const { database, activity, standbySeconds, log } = this.#parts;
    const { ttl } = database.workspaces;
    const quiet = await ttl.quietRunning(standbySeconds);
    if (quiet.length === 0) return 0;
    let inUse: Set<string>;
    try {
      inUse = await activity.inUse(quiet.map(({ id }) => id));
    } catch (error) {
      // Who is connected is not known, so nobody is taken to be away.
      log.warn({ err: error }, 'the store does not tell who is connected: no workspace is put to standby');
      return 0;
    }
    const idle = quiet.filter(({ id }) => !inUse.has(id));
    return this.#say(idle, (seen) => ttl.standby(seen), 'a workspace is idle: standby is wanted');
  }

  async #archive(): Promise<number> {
    const { database, archiveSeconds } = this.#parts;
    const { ttl } = database.workspaces;
    const quiet = await ttl.quietStandby(archiveSeconds);
    return this.#say(quiet, (seen) => ttl.archive(seen), 'a workspace is not used: an archive is wanted');
  }

  async #say(
    all: readonly QuietWorkspace[],
    write: (seen: QuietWorkspace) => Promise<Written>,
    words: string,
  ): Promise<number> {
    let said = 0;
    for (const seen of all) {
      if ((await write(seen)) === 'stale') continue;
      said += 1;
      this.#parts.log.info({ workspace_id: seen.id }, words);
    }
    return said;
  }
}
