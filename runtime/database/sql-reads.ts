import type { TenantId, WorkspaceId } from '../contracts/ids.ts';
import { maybe, number, operationOf, state, text, workspaceOf } from './row-mapping.ts';
import type { SqlConnection } from './sql-connection.ts';
import type { WorkspaceRow } from './workspace-row.ts';
import type { ObservedWorkspace, WorkspaceCensus, WorkspaceReads } from './workspaces.ts';

export class SqlReads implements WorkspaceReads {
  readonly #sql: SqlConnection;

  constructor(sql: SqlConnection) {
    this.#sql = sql;
  }

  async get(id: WorkspaceId): Promise<WorkspaceRow | undefined> {
    const [row] = await this.#sql.rows('SELECT * FROM workspaces WHERE id = $1', [id]);
    return row && workspaceOf(row);
  }

  async list(tenant: TenantId, page: { limit: number; after?: WorkspaceId }): Promise<WorkspaceRow[]> {
    const found = await this.#sql.rows(
      `SELECT * FROM workspaces
       WHERE tenant = $1 AND id > $2 AND deleted_at IS NULL
       ORDER BY id LIMIT $3`,
      [tenant, page.after ?? '', page.limit],
    );
    return found.map(workspaceOf);
  }

  async observed(): Promise<ObservedWorkspace[]> {
    const found = await this.#sql.rows(
      `SELECT id, observed_status, observed_incarnation, operation, op_id, op_owner, op_incarnation, op_started_at, op_heartbeat_at,
         op_progress,         pending_archive_key
       FROM workspaces WHERE deleted_at IS NULL`,
    );
    return found.map((row) => ({
      id: text(row, 'id') as WorkspaceId, // the cast: checked before it was written
      observedStatus: state(row, 'observed_status'),
      observedIncarnation: maybe(row, 'observed_incarnation', text),
      operation: operationOf(row),
    }));
  }

  async running(): Promise<WorkspaceId[]> {
    const found = await this.#sql.rows(
      "SELECT id FROM workspaces WHERE deleted_at IS NULL AND observed_status = 'RUNNING' ORDER BY id",
    );
    return found.map((row) => text(row, 'id') as WorkspaceId); // the cast: checked before it was written
  }

  async census(): Promise<WorkspaceCensus> {
    const [counts, inError] = await Promise.all([
      this.#sql.rows(
        `SELECT tenant, CASE WHEN ${IN_ERROR} THEN 'ERROR' ELSE observed_status END AS status,
           CAST(COUNT(*) AS INTEGER) AS count
         FROM workspaces WHERE deleted_at IS NULL GROUP BY 1, 2 ORDER BY 1, 2`,
      ),
      this.#sql.rows(
        `SELECT tenant, id, error_code, error_message FROM (
           SELECT tenant, id, error_code, error_message,
             ROW_NUMBER() OVER (PARTITION BY tenant ORDER BY id) AS place
           FROM workspaces WHERE deleted_at IS NULL AND ${IN_ERROR}
         ) AS broken WHERE place <= ${MOST_IN_ERROR} ORDER BY id`,
      ),
    ]);
    return {
      counts: counts.map((row) => ({
        tenant: text(row, 'tenant') as TenantId, // the casts: ids are checked before they are written
        status: text(row, 'status') === 'ERROR' ? 'ERROR' : state(row, 'status'),
        count: number(row, 'count'),
      })),
      inError: inError.map((row) => ({
        tenant: text(row, 'tenant') as TenantId,
        id: text(row, 'id') as WorkspaceId,
        code: text(row, 'error_code'),
        message: text(row, 'error_message'),
      })),
    };
  }

  async unsettled(limit: number): Promise<WorkspaceRow[]> {
    // The branches one by one, each by an index of its own: what is settled costs nothing.
    const found = await this.#sql.rows(
      `SELECT * FROM workspaces WHERE id IN (
         SELECT id FROM workspaces WHERE operation <> 'NONE'
         UNION SELECT id FROM workspaces
           WHERE deleted_at IS NULL AND observed_status <> desired_state AND ${DUE}
         UNION SELECT id FROM workspaces
           WHERE deleted_at IS NULL AND observed_status = 'STANDBY' AND home_from IS NULL AND ${DUE}
         UNION SELECT id FROM workspaces
           WHERE deleted_at IS NULL AND delete_requested_at IS NOT NULL AND ${DUE}
       )
       ORDER BY error_count, id LIMIT $1`,
      [limit],
    );
    return found.map(workspaceOf);
  }
}

/** Nothing is wrong, or the user has spoken since, or it is time to try again. */
const DUE = `(error_code IS NULL OR error_version <> desired_version OR (error_terminal = 0 AND retry_at <= {now}))`;

/** Of each tenant. */
const MOST_IN_ERROR = 50;

/** `isInError` of a row, for the database. */
const IN_ERROR =
  "(error_code IS NOT NULL AND error_terminal = 1 AND error_version = desired_version AND operation = 'NONE')";
