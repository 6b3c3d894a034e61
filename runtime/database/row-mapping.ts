import type { TenantId, WorkspaceId } from '../contracts/ids.ts';
import type { SqlRow, SqlValue } from './sql-connection.ts';
import {
  OPERATIONS,
  type Operation,
  WORKSPACE_STATES,
  type WorkspaceError,
  type WorkspaceRow,
  type WorkspaceState,
} from './workspace-row.ts';

/** A row of the table `workspaces`. What is not as it should be throws: nobody but us writes there. */
export function workspaceOf(row: SqlRow): WorkspaceRow {
  return {
    id: text(row, 'id') as WorkspaceId, // the casts: ids are checked before they are written
    tenant: text(row, 'tenant') as TenantId,
    keyName: text(row, 'key_name'),
    createdAt: number(row, 'created_at'),
    name: maybe(row, 'name', text),
    imageRef: text(row, 'image_ref'),
    standbyTtlSeconds: maybe(row, 'standby_ttl_seconds', number),
    archiveTtlSeconds:
      number(row, 'archive_never') === 1 ? 'never' : maybe(row, 'archive_ttl_seconds', number),
    deleteRequestedAt: maybe(row, 'delete_requested_at', number),
    desiredState: state(row, 'desired_state'),
    desiredVersion: number(row, 'desired_version'),
    restedVersion: maybe(row, 'rested_version', number),
    observedStatus: state(row, 'observed_status'),
    observedAt: maybe(row, 'observed_at', number),
    observedIncarnation: maybe(row, 'observed_incarnation', text),
    lastAccessAt: number(row, 'last_access_at'),
    operation: operationOf(row),
    previousStatus: maybe(row, 'previous_status', state),
    archiveKey: maybe(row, 'archive_key', text),
    homeFrom: maybe(row, 'home_from', text),
    error: errorOf(row),
    deletedAt: maybe(row, 'deleted_at', number),
  };
}

export function operationOf(row: SqlRow): Operation | null {
  const kind = text(row, 'operation');
  if (kind === 'NONE') return null;
  return {
    kind: oneOf(OPERATIONS, kind),
    id: text(row, 'op_id'),
    owner: text(row, 'op_owner'),
    incarnation: maybe(row, 'op_incarnation', text),
    startedAt: number(row, 'op_started_at'),
    heartbeatAt: number(row, 'op_heartbeat_at'),
    progress: maybe(row, 'op_progress', text),
    pendingArchiveKey: maybe(row, 'pending_archive_key', text),
  };
}

function errorOf(row: SqlRow): WorkspaceError | null {
  if (row.error_code === null) return null;
  return {
    code: text(row, 'error_code'),
    message: text(row, 'error_message'),
    count: number(row, 'error_count'),
    terminal: number(row, 'error_terminal') === 1,
    at: number(row, 'error_at'),
    desiredVersion: number(row, 'error_version'),
    retryAt: maybe(row, 'retry_at', number),
  };
}

export function text(row: SqlRow, column: string): string {
  return checked(row, column, (value) => typeof value === 'string') as string; // the cast: just checked
}

export function number(row: SqlRow, column: string): number {
  return checked(row, column, (value) => typeof value === 'number') as number; // the cast: just checked
}

export function state(row: SqlRow, column: string): WorkspaceState {
  return oneOf(WORKSPACE_STATES, text(row, column));
}

export function maybe<Value>(
  row: SqlRow,
  column: string,
  read: (row: SqlRow, column: string) => Value,
): Value | null {
  return row[column] === null ? null : read(row, column);
}

function oneOf<Value extends string>(values: readonly Value[], found: string): Value {
  const value = values.find((each) => each === found);
  if (value === undefined) throw new Error(`the database has ${found}, and not one of ${values.join(', ')}`);
  return value;
}

function checked(
  row: SqlRow,
  column: string,
  holds: (value: SqlValue | undefined) => boolean,
): SqlValue | undefined {
  const value = row[column];
  if (!holds(value)) throw new Error(`the database has ${typeof value} in the column ${column}`);
  return value;
}
