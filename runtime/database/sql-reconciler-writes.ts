import { ACCESSED_NOW } from './last-access.ts';
import { text, workspaceOf } from './row-mapping.ts';
import type { SqlConnection, SqlStatements, SqlValue } from './sql-connection.ts';
import type { WorkspaceRow } from './workspace-row.ts';
import type {
  NewOperation,
  OperationFailure,
  OperationName,
  ReconcilerWrites,
  Written,
} from './workspaces.ts';

export class SqlReconcilerWrites implements ReconcilerWrites {
  readonly #sql: SqlConnection;

  constructor(sql: SqlConnection) {
    this.#sql = sql;
  }

  claim(seen: WorkspaceRow, operation: NewOperation): Promise<WorkspaceRow | undefined> {
    return this.#begin(
      operation,
      `operation = 'NONE' AND desired_version = $8 AND desired_state = $9 AND observed_status = $10`,
      [seen.desiredVersion, seen.desiredState, seen.observedStatus],
    );
  }

  takeOver(
    seen: WorkspaceRow,
    operation: NewOperation,
    silentSeconds: number,
  ): Promise<WorkspaceRow | undefined> {
    return this.#begin(operation, 'operation = $2 AND op_id = $8 AND op_heartbeat_at <= {now} - $9 * 1000', [
      seen.operation?.id ?? '',
      silentSeconds,
    ]);
  }

  beat(name: OperationName): Promise<Written> {
    return this.#write(this.#sql, name, 'op_heartbeat_at = {now}');
  }

  progress(name: OperationName, words: string): Promise<Written> {
    return this.#write(this.#sql, name, 'op_heartbeat_at = {now}, op_progress = $3', [words]);
  }

  commitArchive(name: OperationName): Promise<Written> {
    return this.#sql.transaction(name.workspace, async (within) => {
      const [row] = await within.rows(
        `SELECT * FROM workspaces WHERE ${OURS} AND pending_archive_key IS NOT NULL`,
        ours(name),
      );
      if (row === undefined) return 'stale';
      await unwanted(within, 'archive_key = $1', [workspaceOf(row).archiveKey]);
      return this.#write(
        within,
        name,
        'archive_key = pending_archive_key, pending_archive_key = NULL, home_from = NULL',
      );
    });
  }

  finish(
    name: OperationName,
    { stopped = false, homeFrom }: { stopped?: boolean; homeFrom?: string } = {},
  ): Promise<Written> {
    const access = stopped ? `, ${ACCESSED_NOW}` : '';
    if (homeFrom === undefined) return this.#end(name, `${NO_ERROR}${access}`);
    return this.#end(name, `${NO_ERROR}${access}, home_from = $3`, [homeFrom]);
  }

  release(name: OperationName): Promise<Written> {
    return this.#write(this.#sql, name, 'op_heartbeat_at = 0');
  }

  fail(name: OperationName, error: OperationFailure): Promise<Written> {
    return this.#end(
      name,
      `error_code = $3, error_message = $4, error_terminal = $5, error_at = {now}, error_version = $7,
       error_count = $8, retry_at = CASE WHEN $5 = 1 THEN NULL ELSE {now} + $6 * 1000 END`,
      [
        ...[error.code, error.message, error.terminal ? 1 : 0, error.retrySeconds],
        ...[error.desiredVersion, error.count],
      ],
    );
  }

  deleted(name: OperationName): Promise<Written> {
    return this.#sql.transaction(name.workspace, async (within) => {
      const written = await this.#write(
        within,
        name,
        `${NO_OPERATION}, ${NO_ERROR}, deleted_at = {now}, archive_key = NULL, home_from = NULL`,
      );
      if (written === 'done') await unwanted(within, 'workspace_id = $1', [name.workspace]);
      return written;
    });
  }

  async unwantedArchives(seconds: number, limit: number): Promise<string[]> {
    const found = await this.#sql.rows(
      `SELECT archive_key FROM workspace_archives WHERE unwanted_at <= {now} - $1 * 1000
       ORDER BY unwanted_at LIMIT $2`,
      [seconds, limit],
    );
    return found.map((row) => text(row, 'archive_key'));
  }

  async forgetArchive(key: string): Promise<void> {
    await this.#sql.rows(
      'DELETE FROM workspace_archives WHERE archive_key = $1 AND unwanted_at IS NOT NULL',
      [key],
    );
  }

  #begin(operation: NewOperation, where: string, values: SqlValue[]): Promise<WorkspaceRow | undefined> {
    const { workspace, kind, opId, owner, incarnation, pendingArchiveKey: key } = operation;
    return this.#sql.transaction(workspace, async (within) => {
      const [row] = await within.rows(
        `UPDATE workspaces SET operation = $2, op_id = $3, op_owner = $4, op_incarnation = $5,
           pending_archive_key = $6, previous_status = $7, op_started_at = {now}, op_heartbeat_at = {now},
           op_progress = NULL
         WHERE id = $1 AND deleted_at IS NULL AND ${where}
         RETURNING *`,
        [workspace, kind, opId, owner, incarnation, key, await this.#status(within, workspace), ...values],
      );
      if (row === undefined) return undefined;
      // What an operation before this one was to write to.
      const { archiveKey } = workspaceOf(row);
      await unwanted(within, 'workspace_id = $1 AND archive_key <> $2', [workspace, archiveKey ?? '']);
      if (key !== null) {
        await within.rows(
          'INSERT INTO workspace_archives (archive_key, workspace_id, begun_at) VALUES ($1, $2, {now})',
          [key, workspace],
        );
      }
      return workspaceOf(row);
    });
  }

  async #status(within: SqlStatements, workspace: string): Promise<SqlValue> {
    const [row] = await within.rows('SELECT observed_status FROM workspaces WHERE id = $1', [workspace]);
    return row?.observed_status ?? null;
  }

  /** Over, one way or the other: what it was to write to and did not commit is unwanted. */
  #end(name: OperationName, set: string, values: SqlValue[] = []): Promise<Written> {
    return this.#sql.transaction(name.workspace, async (within) => {
      const [row] = await within.rows(`SELECT * FROM workspaces WHERE ${OURS}`, ours(name));
      if (row === undefined) return 'stale';
      const pending = workspaceOf(row).operation?.pendingArchiveKey ?? null;
      if (pending !== null) await unwanted(within, 'archive_key = $1', [pending]);
      return this.#write(within, name, `${set}, ${NO_OPERATION}`, values);
    });
  }

  async #write(
    within: SqlStatements,
    name: OperationName,
    set: string,
    values: SqlValue[] = [],
  ): Promise<Written> {
    const found = await within.rows(`UPDATE workspaces SET ${set} WHERE ${OURS} RETURNING id`, [
      ...ours(name),
      ...values,
    ]);
    return found.length > 0 ? 'done' : 'stale';
  }
}

const OURS = 'id = $1 AND op_id = $2';
const ours = ({ workspace, opId }: OperationName): SqlValue[] => [workspace, opId];

const NO_OPERATION = `operation = 'NONE', op_id = NULL, op_owner = NULL, op_incarnation = NULL, op_started_at = NULL,
  op_heartbeat_at = NULL, op_progress = NULL, pending_archive_key = NULL`;
const NO_ERROR = `error_code = NULL, error_message = NULL, error_count = 0, error_terminal = 0, error_at = NULL,
  error_version = NULL, retry_at = NULL`;

async function unwanted(within: SqlStatements, which: string, values: SqlValue[]): Promise<void> {
  await within.rows(
    `UPDATE workspace_archives SET unwanted_at = {now} WHERE ${which} AND unwanted_at IS NULL`,
    values,
  );
}
