import { join } from 'node:path';
import { isBerthError } from '../contracts/errors.ts';
import type { Database } from '../database/database.ts';
import { MigratedConnection } from '../database/migrated-connection.ts';
import type { SqlConnection } from '../database/sql-connection.ts';
import { SqlDatabase } from '../database/sql-database.ts';

interface Options {
  /** `postgres://…`; none: a file in the data directory. */
  url: string | undefined;
  dataDir: string;
  onError?: (error: Error) => void;
}

/**
 * The database of this version: what is missing there is made first. One that is away is waited for behind, not at the
 * start.
 */
export async function openDatabase({ url, dataDir, onError }: Options): Promise<Database> {
  const connection = new MigratedConnection(await connect(url, dataDir, onError));
  try {
    await connection.ready();
  } catch (error) {
    if (!isBerthError(error, 'STORE_UNAVAILABLE')) {
      await connection.close();
      throw error;
    }
    onError?.(error);
  }
  return new SqlDatabase(connection);
}

/** Only what is used is loaded. */
async function connect(
  url: string | undefined,
  dataDir: string,
  onError: ((error: Error) => void) | undefined,
): Promise<SqlConnection> {
  if (url === undefined) {
    const { SqliteConnection } = await import('../database/sqlite/sqlite-connection.ts');
    return new SqliteConnection({ file: join(dataDir, 'berth.sqlite') });
  }
  const [{ PostgresConnection }, { postgresTls }] = await Promise.all([
    import('../database/postgres/postgres-connection.ts'),
    import('../database/postgres/postgres-tls.ts'),
  ]);
  return new PostgresConnection({
    ...(await postgresTls(url)),
    ...(onError === undefined ? {} : { onError }),
  });
}
