import type { TenantId, WorkspaceId } from '../contracts/ids.ts';
import { ACCESSED_NOW } from './last-access.ts';
import { number, workspaceOf } from './row-mapping.ts';
import { overRunning, RUNNING } from './running-limits.ts';
import type { SqlConnection, SqlStatements, SqlValue } from './sql-connection.ts';
import type { WorkspaceRow, WorkspaceState } from './workspace-row.ts';
import type { ApiWrites, Desired, NewWorkspace, Refused, RunningLimits, Settings } from './workspaces.ts';

export class SqlApiWrites implements ApiWrites {
  readonly #sql: SqlConnection;

  constructor(sql: SqlConnection) {
    this.#sql = sql;
  }

  create(
    workspace: NewWorkspace,
    limits: RunningLimits,
  ): Promise<{ kind: 'done'; row: WorkspaceRow } | { kind: 'exists' } | Refused> {
    return this.#sql.transaction(RUNNING, async (within) => {
      const { id, tenant, keyName, desiredState } = workspace;
      const [taken] = await within.rows('SELECT id FROM workspaces WHERE id = $1', [id]);
      if (taken) return { kind: 'exists' };
      const refused =
        (await overTenant(within, tenant, limits)) ??
        (desiredState === 'RUNNING' ? await overRunning(within, workspace, limits) : undefined);
      if (refused) return refused;
      const { archiveTtlSeconds: archive } = workspace;
      const [row] = await within.rows(
        `INSERT INTO workspaces (id, tenant, key_name, name, image_ref, standby_ttl_seconds, archive_ttl_seconds,
           archive_never, desired_state, created_at, last_access_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, {now}, {now}) RETURNING *`,
        [
          ...[id, tenant, keyName, workspace.name, workspace.imageRef, workspace.standbyTtlSeconds],
          ...[archive === 'never' ? null : archive, archive === 'never' ? 1 : 0, desiredState],
        ],
      );
      return row === undefined ? { kind: 'exists' } : { kind: 'done', row: workspaceOf(row) };
    });
  }

  async change(tenant: TenantId, id: WorkspaceId, settings: Settings): Promise<Desired> {
    const { name, imageRef, standbyTtlSeconds, archiveTtlSeconds: archive } = settings;
    const columns: [string, SqlValue | undefined][] = [
      ['name', name],
      ['image_ref', imageRef],
      ['standby_ttl_seconds', standbyTtlSeconds],
      ['archive_ttl_seconds', archive === 'never' ? null : archive],
      ['archive_never', archive === undefined ? undefined : Number(archive === 'never')],
    ];
    const given = columns.filter((column): column is [string, SqlValue] => column[1] !== undefined);
    const set = given.map(([column], at) => `${column} = $${at + 3}`);
    return this.#write(
      tenant,
      id,
      set.length > 0 ? set.join(', ') : 'name = name',
      given.map(([, value]) => value),
    );
  }

  desire(tenant: TenantId, id: WorkspaceId, state: WorkspaceState, limits: RunningLimits): Promise<Desired> {
    return this.#sql.transaction(RUNNING, async (within) => {
      const [found] = await within.rows(`SELECT * FROM workspaces WHERE ${OWN}`, [tenant, id]);
      if (!found) return { kind: 'missing' };
      const seen = workspaceOf(found);
      if (seen.deleteRequestedAt !== null) return { kind: 'deleting' };
      if (state === 'RUNNING' && seen.desiredState !== 'RUNNING') {
        const refused = await overRunning(within, seen, limits);
        if (refused) return refused;
      }
      const [row] = await within.rows(
        `UPDATE workspaces SET desired_state = $3, ${A_WORD} WHERE ${OWN} RETURNING *`,
        [tenant, id, state],
      );
      return row === undefined ? { kind: 'missing' } : { kind: 'done', row: workspaceOf(row) };
    });
  }

  retry(tenant: TenantId, id: WorkspaceId): Promise<Desired> {
    return this.#write(tenant, id, A_WORD, []);
  }

  async requestDelete(tenant: TenantId, id: WorkspaceId): Promise<Desired> {
    const [row] = await this.#sql.rows(
      `UPDATE workspaces SET delete_requested_at = COALESCE(delete_requested_at, {now}),
         desired_version = desired_version + 1
       WHERE ${OWN} RETURNING *`,
      [tenant, id],
    );
    return row === undefined ? { kind: 'missing' } : { kind: 'done', row: workspaceOf(row) };
  }

  async #write(tenant: TenantId, id: WorkspaceId, set: string, values: SqlValue[]): Promise<Desired> {
    const [row] = await this.#sql.rows(
      `UPDATE workspaces SET ${set} WHERE ${OWN} AND delete_requested_at IS NULL RETURNING *`,
      [tenant, id, ...values],
    );
    if (row) return { kind: 'done', row: workspaceOf(row) };
    const [there] = await this.#sql.rows(`SELECT id FROM workspaces WHERE ${OWN}`, [tenant, id]);
    return { kind: there ? 'deleting' : 'missing' };
  }
}

/** Whoever says what they want of it is there: no TTL has run out right after. */
const A_WORD = `desired_version = desired_version + 1, ${ACCESSED_NOW}`;
const OWN = 'tenant = $1 AND id = $2 AND deleted_at IS NULL';

async function overTenant(
  within: SqlStatements,
  tenant: TenantId,
  { ofTenant }: RunningLimits,
): Promise<Refused | undefined> {
  if (ofTenant === undefined) return undefined;
  const [row] = await within.rows(
    'SELECT COUNT(*) AS used FROM workspaces WHERE tenant = $1 AND deleted_at IS NULL',
    [tenant],
  );
  const used = number(row ?? {}, 'used');
  return used >= ofTenant ? { kind: 'over-quota', limit: ofTenant, used } : undefined;
}
