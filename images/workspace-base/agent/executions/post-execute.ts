import type { Call } from '../agent.ts';
import { readJson } from '../http/json-body.ts';
import { parseExecuteRequest } from './execute-request.ts';
import { startExecution } from './start-execution.ts';

const BODY_LIMIT = 8 * 1024 * 1024;

/** Begins an execution, or attaches to the one that has this id already, and sends its events from the first. */
export async function postExecute({ agent, req, res }: Call): Promise<void> {
  const parsed = parseExecuteRequest(await readJson(req, BODY_LIMIT));
  const id = parsed.request.execution_id;
  const execution = await agent.executions.run(id, () => startExecution(parsed, agent));
  execution.attach(res, 0);
}
