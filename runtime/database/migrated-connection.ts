import { migrate } from './migrate.ts';
import type { SqlConnection, SqlRow, SqlStatements, SqlValue } from './sql-connection.ts';

/** A connection whose database has this version's schema before the first statement. One that is away is asked again. */
export class MigratedConnection implements SqlConnection {
  readonly #connection: SqlConnection;
  #migrated: Promise<unknown> | undefined;

  constructor(connection: SqlConnection) {
    this.#connection = connection;
  }

  get dialect() {
    return this.#connection.dialect;
  }

  /** Brings the schema to this version, unless that is done. */
  async ready(): Promise<void> {
    this.#migrated ??= migrate(this.#connection).catch((error) => {
      this.#migrated = undefined;
      throw error;
    });
    await this.#migrated;
  }

  async rows(text: string, values?: readonly SqlValue[]): Promise<SqlRow[]> {
    await this.ready();
    return this.#connection.rows(text, values);
  }

  async transaction<Result>(
    name: string,
    steps: (within: SqlStatements) => Promise<Result>,
  ): Promise<Result> {
    await this.ready();
    return this.#connection.transaction(name, steps);
  }

  close(): Promise<void> {
    return this.#connection.close();
  }
}
