import type { Call } from '../agent.ts';
import { sendJson } from '../http/send-json.ts';
import { executionId } from './execution-id.ts';

/** Begins to end an execution; one that has ended stays as it is. */
export async function postCancel({ agent, path, res }: Call): Promise<void> {
  const id = executionId(path);
  const { executions } = agent;
  const status = executions.hasEnded(id) ? 'ended' : (await executions.find(id)).cancel();
  sendJson(res, 202, { status });
}
