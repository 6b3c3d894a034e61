import { DatabaseSync, type StatementSync } from 'node:sqlite';
import {
  type SqlConnection,
  type SqlRow,
  type SqlStatements,
  type SqlValue,
  withClock,
} from '../sql-connection.ts';

const CLOCK = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";
/** Another process of the same data directory can only be one that looks. */
const BUSY_MS = 5_000;

export interface SqliteOptions {
  /** A path, or `:memory:`. */
  file: string;
  testClock?: { now(): number };
}

/** A file of this process. Each statement is a step of its own, since nothing runs beside it. */
export class SqliteConnection implements SqlConnection {
  readonly dialect = 'sqlite';
  readonly #database: DatabaseSync;
  readonly #testClock: { now(): number } | undefined;
  readonly #prepared = new Map<string, StatementSync>();
  /** Transactions have awaits within: others wait. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor({ file, testClock }: SqliteOptions) {
    this.#database = new DatabaseSync(file, { timeout: BUSY_MS });
    this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
    this.#testClock = testClock;
  }

  rows(text: string, values: readonly SqlValue[] = []): Promise<SqlRow[]> {
    return this.#inTurn(async () => this.#run(text, values));
  }

  transaction<Result>(_name: string, steps: (within: SqlStatements) => Promise<Result>): Promise<Result> {
    return this.#inTurn(async () => {
      this.#database.exec('BEGIN IMMEDIATE');
      try {
        const result = await steps({ rows: async (text, values = []) => this.#run(text, values) });
        this.#database.exec('COMMIT');
        return result;
      } catch (error) {
        this.#database.exec('ROLLBACK');
        throw error;
      }
    });
  }

  async close(): Promise<void> {
    await this.#turn;
    this.#database.close();
  }

  #inTurn<Result>(step: () => Promise<Result>): Promise<Result> {
    const done = this.#turn.then(step);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  #run(text: string, values: readonly SqlValue[]): SqlRow[] {
    const sql = withClock(text, CLOCK, this.#testClock).replace(/\$(\d+)/g, '?$1');
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      if (this.#testClock === undefined) this.#prepared.set(sql, statement);
    }
    // The cast: every column of ours is a text or a number.
    return statement.all(...values) as unknown as SqlRow[];
  }
}
