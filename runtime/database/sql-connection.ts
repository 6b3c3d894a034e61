/** A value as both databases take and give it. */
export type SqlValue = string | number | null;
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** Runs statements, each alone or several in one transaction. Parameters are `$1`, `$2`, …; `{now}` is the clock. */
export interface SqlStatements {
  rows(text: string, values?: readonly SqlValue[]): Promise<SqlRow[]>;
}

export interface SqlConnection extends SqlStatements {
  /** All of it or nothing; of two with the same name one waits for the other. */
  transaction<Result>(name: string, steps: (within: SqlStatements) => Promise<Result>): Promise<Result>;
  /** What is meant for databases of this kind alone. */
  readonly dialect: 'postgres' | 'sqlite';
  close(): Promise<void>;
}

/** The database's clock in milliseconds, as an expression; a test may have its own instead. */
export function withClock(text: string, clock: string, testClock: { now(): number } | undefined): string {
  return text.replaceAll('{now}', testClock === undefined ? clock : String(testClock.now()));
}
