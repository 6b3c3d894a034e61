import { number } from './row-mapping.ts';
import type { SqlStatements } from './sql-connection.ts';
import type { Refused, RunningLimits } from './workspaces.ts';

/** Name of the transactions that count before they want one more RUNNING. */
export const RUNNING = 'workspaces-running';

export async function overRunning(
  within: SqlStatements,
  keyName: string,
  { all, ofKey }: RunningLimits,
): Promise<Refused | undefined> {
  const [row] = await within.rows(
    `SELECT COUNT(*) AS used, COALESCE(SUM(CASE WHEN key_name = $1 THEN 1 ELSE 0 END), 0) AS of_key
     FROM workspaces WHERE deleted_at IS NULL AND desired_state = 'RUNNING'`,
    [keyName],
  );
  const [used, usedByKey] = [number(row ?? {}, 'used'), number(row ?? {}, 'of_key')];
  if (usedByKey >= ofKey) return { kind: 'over-quota', limit: ofKey, used: usedByKey };
  return used >= all ? { kind: 'no-room', limit: all, used } : undefined;
}
