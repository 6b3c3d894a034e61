import type { Logger } from 'pino';
import { BerthError } from '../contracts/errors.ts';
import type { DatabaseOf } from '../database/database.ts';
import type { Operation, OperationKind, WorkspaceRow } from '../database/workspace-row.ts';
import { failureOf } from './operation-failure.ts';

const BEAT_MS = 15_000;
const PROGRESS_MS = 1_000;

/** Longest that each may take, in seconds. */
export const OPERATION_SECONDS: Readonly<Record<OperationKind, number>> = {
  PROVISIONING: 300,
  RESTORING: 1800,
  STARTING: 300,
  STOPPING: 300,
  ARCHIVING: 1800,
  DELETING: 600,
};

/** Another goes on with the operation. */
export class Superseded extends Error {}

export type OperationOutcome = 'done' | 'failed' | 'superseded' | 'released';

/** Does what is left of it. Must look at everything anew: any part of it may have been done before. */
export type OperationSteps = (run: OperationRun) => Promise<void>;

/** One operation that this instance has claimed, from there to its end in the database. */
export class OperationRun {
  readonly row: WorkspaceRow;
  readonly operation: Operation;
  readonly #database: DatabaseOf<'reconciler'>;
  readonly #log: Logger;
  readonly #ending = new AbortController();
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(
    parts: { database: DatabaseOf<'reconciler'>; log: Logger },
    row: WorkspaceRow,
    operation: Operation,
  ) {
    this.#database = parts.database;
    this.#log = parts.log.child({ workspace_id: row.id, operation: operation.kind });
    this.row = row;
    this.operation = operation;
  }

  get name() {
    return { workspace: this.row.id, opId: this.operation.id };
  }

  /** Aborts when it is another's by now, takes too long, or everything ends. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** Goes no further: another instance, or the next start, goes on with it. */
  stop(): void {
    this.#ending.abort(new BerthError('SHUTTING_DOWN', 'the service is shutting down'));
  }

  async run(
    steps: OperationSteps,
    seconds = OPERATION_SECONDS[this.operation.kind],
  ): Promise<OperationOutcome> {
    const heart = setInterval(() => void this.#beat(), BEAT_MS);
    const late = setTimeout(() => this.#ending.abort(tooLate(this.operation.kind, seconds)), seconds * 1000);
    try {
      await steps(this);
      return 'done';
    } catch (error) {
      const cause = this.#ending.signal.aborted ? this.#ending.signal.reason : error;
      return await this.#fail(cause);
    } finally {
      clearInterval(heart);
      clearTimeout(late);
    }
  }

  /** Before anything that can't be taken back: throws unless it still is this one's. */
  async requireOurs(): Promise<void> {
    this.#ending.signal.throwIfAborted();
    this.check(await this.#database.workspaces.reconciler.beat(this.name));
  }

  check(written: 'done' | 'stale'): void {
    if (written === 'stale') throw new Superseded('another goes on with it');
  }

  /** For people; what comes too soon after the last is left out. */
  tell(words: string): void {
    const now = performance.now();
    if (now - this.#toldAt < PROGRESS_MS) return;
    this.#toldAt = now;
    // It is only told: whether it is still this one's is asked elsewhere.
    this.#database.workspaces.reconciler.progress(this.name, words.slice(0, 300)).catch(() => {});
  }

  async #beat(): Promise<void> {
    // A database that is away is asked again at the next beat.
    const written = await this.#database.workspaces.reconciler.beat(this.name).catch(() => 'done');
    if (written === 'stale') this.#ending.abort(new Superseded('another goes on with it'));
  }

  async #fail(error: unknown): Promise<OperationOutcome> {
    if (error instanceof Superseded) {
      this.#log.warn('another instance goes on with an operation');
      return 'superseded';
    }
    const failure = failureOf(this.row, error);
    const { reconciler } = this.#database.workspaces;
    if (failure.code === 'SHUTTING_DOWN') {
      return (await reconciler.release(this.name)) === 'done' ? 'released' : 'superseded';
    }
    this.#log.warn({ err: error, terminal: failure.terminal }, 'an operation on a workspace failed');
    if ((await reconciler.fail(this.name, failure)) !== 'done') return 'superseded';
    if (failure.terminal) this.#log.error({ code: failure.code }, lastWords(failure.code));
    return 'failed';
  }
}

/** For whoever is on call: what it means that nothing more is tried. Alarms look for these words. */
function lastWords(code: string): string {
  if (code === 'ARCHIVE_CORRUPT') return 'the archive of a workspace is corrupt';
  if (code === 'ARCHIVE_FAILED') return 'the home of a workspace could not be archived or restored';
  return 'a workspace is left in ERROR';
}

function tooLate(kind: OperationKind, seconds: number): BerthError {
  const code = kind === 'ARCHIVING' || kind === 'RESTORING' ? 'ARCHIVE_FAILED' : 'START_TIMEOUT';
  return new BerthError(code, `${kind} took longer than ${seconds} s`);
}
