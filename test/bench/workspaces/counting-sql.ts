import type {
  SqlConnection,
  SqlRow,
  SqlStatements,
  SqlValue,
} from '../../../runtime/database/sql-connection.ts';

/** Counts what a database is asked, and passes it on. */
export class CountingSql implements SqlConnection {
  queries = 0;
  readonly dialect: SqlConnection['dialect'];
  readonly #sql: SqlConnection;

  constructor(sql: SqlConnection) {
    this.dialect = sql.dialect;
    this.#sql = sql;
  }

  rows(text: string, values?: readonly SqlValue[]): Promise<SqlRow[]> {
    this.queries += 1;
    return this.#sql.rows(text, values);
  }

  transaction<Result>(name: string, steps: (within: SqlStatements) => Promise<Result>): Promise<Result> {
    return this.#sql.transaction(name, ({ rows }) =>
      steps({
        rows: (text, values) => {
          this.queries += 1;
          return rows(text, values);
        },
      }),
    );
  }

  close(): Promise<void> {
    return this.#sql.close();
  }
}
