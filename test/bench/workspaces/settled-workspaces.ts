import type { ContainerView } from '../../../runtime/containers/container-backend.ts';
import {
  homeVolume,
  parseWorkspaceId,
  type VolumeName,
  workspaceContainerId,
} from '../../../runtime/contracts/ids.ts';
import type { SqlConnection, SqlValue } from '../../../runtime/database/sql-connection.ts';
import { must } from '../../support/must.ts';

const AT_ONCE = 500;
const STATES = ['RUNNING', 'STANDBY', 'PENDING'] as const;
const COLUMNS =
  'id, tenant, key_name, created_at, image_ref, desired_state, observed_status, observed_at, observed_incarnation, last_access_at, home_from';

/** What a backend has of them. */
export interface SettledWorkspaces {
  containers: ContainerView[];
  volumes: VolumeName[];
}

/** Writes so many workspaces that are as they are wanted: a third runs, a third is in standby, a third archived. */
export async function addSettled(sql: SqlConnection, count: number): Promise<SettledWorkspaces> {
  const made: SettledWorkspaces = { containers: [], volumes: [] };
  const rows = Array.from({ length: count }, (_, index) => settledRow(index, made));
  for (let at = 0; at < count; at += AT_ONCE) await insert(sql, rows.slice(at, at + AT_ONCE));
  // As the server does by itself within a minute.
  await sql.rows('ANALYZE');
  return made;
}

function settledRow(index: number, made: SettledWorkspaces): SqlValue[] {
  const id = must(parseWorkspaceId(`bench-${index}`));
  const state = must(STATES[index % STATES.length]);
  const incarnation = state === 'RUNNING' ? `engine-id-of-${id}` : null;
  const now = Date.now();
  if (state !== 'PENDING') made.volumes.push(homeVolume(id));
  if (incarnation !== null)
    made.containers.push({
      id: workspaceContainerId(id),
      engineId: incarnation,
      role: 'workspace',
      state: 'running',
      labels: {},
      createdAt: now,
    });
  const home = state === 'PENDING' ? null : 'nothing';
  return [id, 'bench', 'key', now, 'editor:1', state, state, now, incarnation, now, home];
}

async function insert(sql: SqlConnection, rows: SqlValue[][]): Promise<void> {
  const places = rows.map((row, at) => `(${row.map((_, column) => `$${at * row.length + column + 1}`)})`);
  await sql.rows(`INSERT INTO workspaces (${COLUMNS}) VALUES ${places}`, rows.flat());
}
