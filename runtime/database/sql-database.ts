import type { Instant } from '../contracts/conversation-record.ts';
import type { Database, DatabaseLeases } from './database.ts';
import type { Functions } from './functions.ts';
import { number } from './row-mapping.ts';
import { SqlApiWrites } from './sql-api-writes.ts';
import type { SqlConnection } from './sql-connection.ts';
import { SqlFunctions } from './sql-functions.ts';
import { SqlMonitorWrites, SqlProxyWrites, SqlTtlWrites } from './sql-other-writes.ts';
import { SqlReads } from './sql-reads.ts';
import { SqlReconcilerWrites } from './sql-reconciler-writes.ts';
import type { Workspaces } from './workspaces.ts';

/** The database over either connection: the same statements, but for the clock. */
export class SqlDatabase implements Database {
  readonly workspaces: Workspaces;
  readonly functions: Functions;
  readonly leases: DatabaseLeases;
  readonly #sql: SqlConnection;

  constructor(sql: SqlConnection) {
    this.#sql = sql;
    this.workspaces = {
      reads: new SqlReads(sql),
      api: new SqlApiWrites(sql),
      proxy: new SqlProxyWrites(sql),
      ttl: new SqlTtlWrites(sql),
      monitor: new SqlMonitorWrites(sql),
      reconciler: new SqlReconcilerWrites(sql),
    };
    this.functions = new SqlFunctions(sql);
    this.leases = {
      async hold(name, owner, seconds) {
        const held = await sql.rows(
          `INSERT INTO leases (name, owner, until) VALUES ($1, $2, {now} + $3 * 1000)
           ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, until = excluded.until
             WHERE leases.owner = excluded.owner OR leases.until <= {now}
           RETURNING owner`,
          [name, owner, seconds],
        );
        return held.length > 0;
      },
      async letGo(name, owner) {
        await sql.rows('DELETE FROM leases WHERE name = $1 AND owner = $2', [name, owner]);
      },
    };
  }

  async now(): Promise<Instant> {
    const [row] = await this.#sql.rows('SELECT {now} AS now');
    return number(row ?? {}, 'now');
  }

  async ping(): Promise<void> {
    await this.#sql.rows('SELECT 1 AS one');
  }

  close(): Promise<void> {
    return this.#sql.close();
  }
}
