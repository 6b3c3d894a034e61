import type { Call } from '../agent.ts';
import { queryValues } from '../http/query.ts';
import { Problem } from '../problem.ts';
import { executionId } from './execution-id.ts';

/** Sends an execution's events after `?after=`, and goes on to its last. */
export async function getEvents({ agent, path, query, res }: Call): Promise<void> {
  const [after = '0'] = queryValues(query, 'after');
  if (!/^\d{1,15}$/.test(after)) throw new Problem('INVALID_REQUEST', 'after must be the number of an event');
  const execution = await agent.executions.find(executionId(path));
  execution.attach(res, Number(after));
}
