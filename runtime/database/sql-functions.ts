import type { FunctionKey } from '../contracts/function-key.ts';
import type { FunctionName, TenantId } from '../contracts/ids.ts';
import type { FunctionRow, Functions, NewFunction, Put } from './functions.ts';
import { number, text } from './row-mapping.ts';
import type { SqlConnection, SqlRow, SqlStatements, SqlValue } from './sql-connection.ts';

export class SqlFunctions implements Functions {
  readonly #sql: SqlConnection;

  constructor(sql: SqlConnection) {
    this.#sql = sql;
  }

  put(definition: NewFunction, limit: number): Promise<Put> {
    const { tenant, name } = definition;
    const columns = columnsOf(definition);
    const names = Object.keys(columns);
    // One at a time of a tenant: what was counted holds until it is written.
    return this.#sql.transaction(`functions:${tenant}`, async (within) => {
      const [known] = await within.rows(`SELECT name FROM functions WHERE ${ONE}`, [tenant, name]);
      const used = known === undefined ? await countOf(within, tenant) : 0;
      if (known === undefined && used >= limit) return { kind: 'over-quota', limit, used };
      const [row] = await within.rows(
        `INSERT INTO functions (${names.join(', ')}, created_at, updated_at)
         VALUES (${names.map((_, at) => `$${at + 1}`).join(', ')}, {now}, {now})
         ON CONFLICT (tenant, name) DO UPDATE SET
           ${names.map((column) => `${column} = excluded.${column}`).join(', ')}, updated_at = excluded.updated_at
         RETURNING *`,
        Object.values(columns),
      );
      return { kind: known === undefined ? 'created' : 'changed', row: functionOf(row ?? {}) };
    });
  }

  async get({ tenant, name }: FunctionKey): Promise<FunctionRow | undefined> {
    const [row] = await this.#sql.rows(`SELECT * FROM functions WHERE ${ONE}`, [tenant, name]);
    return row && functionOf(row);
  }

  async list(tenant: TenantId, page: { limit: number; after?: FunctionName }): Promise<FunctionRow[]> {
    const found = await this.#sql.rows(
      'SELECT * FROM functions WHERE tenant = $1 AND name > $2 ORDER BY name LIMIT $3',
      [tenant, page.after ?? '', page.limit],
    );
    return found.map(functionOf);
  }

  async all(page: { limit: number; after?: FunctionKey }): Promise<FunctionRow[]> {
    const found = await this.#sql.rows(
      'SELECT * FROM functions WHERE (tenant, name) > ($1, $2) ORDER BY tenant, name LIMIT $3',
      [page.after?.tenant ?? '', page.after?.name ?? '', page.limit],
    );
    return found.map(functionOf);
  }

  async delete({ tenant, name }: FunctionKey): Promise<boolean> {
    const gone = await this.#sql.rows(`DELETE FROM functions WHERE ${ONE} RETURNING name`, [tenant, name]);
    return gone.length > 0;
  }

  count(tenant: TenantId): Promise<number> {
    return countOf(this.#sql, tenant);
  }
}

const ONE = 'tenant = $1 AND name = $2';

async function countOf(sql: SqlStatements, tenant: TenantId): Promise<number> {
  const [row] = await sql.rows('SELECT COUNT(*) AS used FROM functions WHERE tenant = $1', [tenant]);
  return number(row ?? {}, 'used');
}

function columnsOf({ resources, scaling, ...definition }: NewFunction): Record<string, SqlValue> {
  return {
    tenant: definition.tenant,
    name: definition.name,
    image: definition.image,
    env: definition.sealedEnv,
    port: definition.port,
    path: definition.path,
    timeout_seconds: definition.timeoutSeconds,
    cpus: resources.cpus,
    memory_mb: resources.memoryMb,
    pids: resources.pids,
    min_capacity: scaling.minCapacity,
    max_capacity: scaling.maxCapacity,
    idle_timeout_seconds: scaling.idleTimeoutSeconds,
    acquire_timeout_seconds: scaling.acquireTimeoutSeconds,
    queue: scaling.queue,
    revision: definition.revision,
  };
}

/** What is not as it should be throws: nobody but us writes there. */
function functionOf(row: SqlRow): FunctionRow {
  return {
    tenant: text(row, 'tenant') as TenantId, // the casts: names are checked before they are written
    name: text(row, 'name') as FunctionName,
    image: text(row, 'image'),
    sealedEnv: text(row, 'env'),
    port: number(row, 'port'),
    path: text(row, 'path'),
    timeoutSeconds: number(row, 'timeout_seconds'),
    resources: {
      cpus: number(row, 'cpus'),
      memoryMb: number(row, 'memory_mb'),
      pids: number(row, 'pids'),
    },
    scaling: {
      minCapacity: number(row, 'min_capacity'),
      maxCapacity: number(row, 'max_capacity'),
      idleTimeoutSeconds: number(row, 'idle_timeout_seconds'),
      acquireTimeoutSeconds: number(row, 'acquire_timeout_seconds'),
      queue: number(row, 'queue'),
    },
    revision: text(row, 'revision'),
    createdAt: number(row, 'created_at'),
    updatedAt: number(row, 'updated_at'),
  };
}
