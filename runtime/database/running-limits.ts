import { number } from './row-mapping.ts';
import type { SqlStatements } from './sql-connection.ts';
import type { WorkspaceRow } from './workspace-row.ts';
import type { Refused, RunningLimits } from './workspaces.ts';

/** Name of the transactions that count before they want one more RUNNING. */
export const RUNNING = 'workspaces-running';

/** Names of keys are a tenant's own: another's may have a key of the same name. */
export async function overRunning(
  within: SqlStatements,
  { tenant, keyName }: Pick<WorkspaceRow, 'tenant' | 'keyName'>,
  { all, ofKey }: RunningLimits,
): Promise<Refused | undefined> {
  const [row] = await within.rows(
    `SELECT COUNT(*) AS used, COALESCE(SUM(CASE WHEN tenant = $1 AND key_name = $2 THEN 1 ELSE 0 END), 0) AS of_key
     FROM workspaces WHERE deleted_at IS NULL AND desired_state = 'RUNNING'`,
    [tenant, keyName],
  );
  const [used, usedByKey] = [number(row ?? {}, 'used'), number(row ?? {}, 'of_key')];
  if (usedByKey >= ofKey) return { kind: 'over-quota', limit: ofKey, used: usedByKey };
  return used >= all ? { kind: 'no-room', limit: all, used } : undefined;
}
