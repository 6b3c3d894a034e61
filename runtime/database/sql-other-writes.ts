import type { Instant } from '../contracts/conversation-record.ts';
import type { WorkspaceId } from '../contracts/ids.ts';
import { ACCESSED_NOW } from './last-access.ts';
import { number, text, workspaceOf } from './row-mapping.ts';
import { overRunning, RUNNING } from './running-limits.ts';
import type { SqlConnection } from './sql-connection.ts';
import type { WorkspaceState } from './workspace-row.ts';
import type {
  Desired,
  MonitorWrites,
  Observation,
  ProxyWrites,
  QuietWorkspace,
  RunningLimits,
  TtlWrites,
  Written,
} from './workspaces.ts';

const ACCESS_EVERY_MS = 60_000;

export class SqlProxyWrites implements ProxyWrites {
  readonly #sql: SqlConnection;

  constructor(sql: SqlConnection) {
    this.#sql = sql;
  }

  wake(id: WorkspaceId, limits: RunningLimits): Promise<Desired> {
    return this.#sql.transaction(RUNNING, async (within) => {
      const [found] = await within.rows('SELECT * FROM workspaces WHERE id = $1 AND deleted_at IS NULL', [
        id,
      ]);
      if (!found) return { kind: 'missing' };
      const seen = workspaceOf(found);
      if (seen.deleteRequestedAt !== null) return { kind: 'deleting' };
      if (seen.desiredState === 'RUNNING') return { kind: 'done', row: seen };
      const refused = await overRunning(within, seen, limits);
      if (refused) return refused;
      const [row] = await within.rows(
        `UPDATE workspaces SET desired_state = 'RUNNING', desired_version = desired_version + 1,
           ${ACCESSED_NOW}
         WHERE id = $1 RETURNING *`,
        [id],
      );
      return row === undefined ? { kind: 'missing' } : { kind: 'done', row: workspaceOf(row) };
    });
  }

  async connected(id: WorkspaceId): Promise<void> {
    await this.#sql.rows(
      `UPDATE workspaces SET desired_version = desired_version + 1, ${ACCESSED_NOW}
       WHERE id = $1 AND deleted_at IS NULL`,
      [id],
    );
  }

  async accessed(id: WorkspaceId): Promise<void> {
    await this.#sql.rows(
      `UPDATE workspaces SET last_access_at = {now}
       WHERE id = $1 AND deleted_at IS NULL AND last_access_at <= {now} - ${ACCESS_EVERY_MS}`,
      [id],
    );
  }
}

export class SqlTtlWrites implements TtlWrites {
  readonly #sql: SqlConnection;

  constructor(sql: SqlConnection) {
    this.#sql = sql;
  }

  quietRunning(defaultSeconds: number): Promise<QuietWorkspace[]> {
    return this.#quiet('RUNNING', 'standby_ttl_seconds', defaultSeconds);
  }

  quietStandby(defaultSeconds: number): Promise<QuietWorkspace[]> {
    return this.#quiet('STANDBY', 'archive_ttl_seconds', defaultSeconds, 'AND archive_never = 0');
  }

  standby(seen: QuietWorkspace): Promise<Written> {
    return this.#desire(seen, 'RUNNING', "'STANDBY', rested_version = desired_version");
  }

  archive(seen: QuietWorkspace): Promise<Written> {
    return this.#desire(seen, 'STANDBY', "'PENDING'");
  }

  async #quiet(
    state: WorkspaceState,
    ttl: string,
    defaultSeconds: number,
    besides = '',
  ): Promise<QuietWorkspace[]> {
    const found = await this.#sql.rows(
      `SELECT id, desired_version, last_access_at FROM workspaces
       WHERE ${LEFT_ALONE} AND observed_status = $1 AND desired_state = $1 ${besides}
         AND last_access_at + COALESCE(${ttl}, $2) * 1000 <= {now}`,
      [state, defaultSeconds],
    );
    return found.map((row) => ({
      id: text(row, 'id') as WorkspaceId, // the cast: checked before it was written
      desiredVersion: number(row, 'desired_version'),
      lastAccessAt: number(row, 'last_access_at'),
    }));
  }

  async #desire(seen: QuietWorkspace, from: WorkspaceState, to: string): Promise<Written> {
    const found = await this.#sql.rows(
      `UPDATE workspaces SET desired_state = ${to}
       WHERE id = $1 AND desired_version = $2 AND last_access_at = $3 AND ${LEFT_ALONE}
         AND observed_status = $4 AND desired_state = $4
       RETURNING id`,
      [seen.id, seen.desiredVersion, seen.lastAccessAt, from],
    );
    return found.length > 0 ? 'done' : 'stale';
  }
}

export class SqlMonitorWrites implements MonitorWrites {
  readonly #sql: SqlConnection;

  constructor(sql: SqlConnection) {
    this.#sql = sql;
  }

  async observe(id: WorkspaceId, { status, incarnation }: Observation, since: Instant): Promise<Written> {
    const found = await this.#sql.rows(
      `UPDATE workspaces SET observed_status = $2, observed_at = $3, observed_incarnation = $4
       WHERE id = $1 AND deleted_at IS NULL AND (observed_at IS NULL OR observed_at <= $3) RETURNING id`,
      [id, status, since, incarnation],
    );
    return found.length > 0 ? 'done' : 'stale';
  }
}

const LEFT_ALONE = "operation = 'NONE' AND delete_requested_at IS NULL AND deleted_at IS NULL";
