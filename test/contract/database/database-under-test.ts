import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Database } from '../../../runtime/database/database.ts';
import { migrate } from '../../../runtime/database/migrate.ts';
import { PostgresConnection } from '../../../runtime/database/postgres/postgres-connection.ts';
import type { SqlConnection } from '../../../runtime/database/sql-connection.ts';
import { SqlDatabase } from '../../../runtime/database/sql-database.ts';
import { SqliteConnection } from '../../../runtime/database/sqlite/sqlite-connection.ts';
import { ManualClock } from '../state/manual-clock.ts';

/** An empty database with a clock that stands still. */
export interface DatabaseUnderTest extends AsyncDisposable {
  database: Database;
  connection: SqlConnection;
  clock: ManualClock;
}

export type OpenDatabase = () => Promise<DatabaseUnderTest>;

export async function sqliteUnderTest(): Promise<DatabaseUnderTest> {
  const clock = new ManualClock();
  return opened(new SqliteConnection({ file: ':memory:', testClock: clock }), clock, async () => {});
}

/** A schema of its own in a Postgres that others use, too. */
export async function postgresUnderTest(url: string): Promise<DatabaseUnderTest> {
  const clock = new ManualClock();
  const schema = await OwnSchema.make(url);
  return opened(new PostgresConnection({ url: schema.url, ssl: false, testClock: clock }), clock, () =>
    schema.remove(),
  );
}

export class OwnSchema {
  readonly url: string;
  readonly #shared: string;
  readonly #name: string;

  private constructor(shared: string, name: string) {
    this.#shared = shared;
    this.#name = name;
    this.url = `${shared}?options=${encodeURIComponent(`-c search_path=${name}`)}`;
  }

  static async make(url: string): Promise<OwnSchema> {
    const schema = new OwnSchema(url, `test_${randomBytes(6).toString('hex')}`);
    await schema.#run(`CREATE SCHEMA ${schema.#name}`);
    return schema;
  }

  remove(): Promise<void> {
    return this.#run(`DROP SCHEMA ${this.#name} CASCADE`);
  }

  async #run(statement: string): Promise<void> {
    const client = new pg.Client({ connectionString: this.#shared });
    await client.connect();
    await client.query(statement);
    await client.end();
  }
}

async function opened(
  connection: SqlConnection,
  clock: ManualClock,
  remove: () => Promise<void>,
): Promise<DatabaseUnderTest> {
  await migrate(connection);
  const database = new SqlDatabase(connection);
  return {
    database,
    connection,
    clock,
    async [Symbol.asyncDispose]() {
      await database.close();
      await remove();
    },
  };
}
