import type { AssignRequest } from '../../../runtime/contracts/agent-protocol.ts';
import type { Call } from './agent.ts';
import { parseEnvironment } from './exec/environment.ts';
import { isRecord, readJson } from './http/json-body.ts';
import { sendJson } from './http/send-json.ts';
import { Problem } from './problem.ts';

const BODY_LIMIT = 1024 * 1024;

/** `/health` carries the ticket and has to stay below what the runtime reads of it, 4 KiB. */
const TICKET = /^[\x21-\x7e]{1,2048}$/;

export async function postAssign({ agent, req, res }: Call): Promise<void> {
  agent.assignment.assign(parseAssignRequest(await readJson(req, BODY_LIMIT)));
  sendJson(res, 200, { status: 'ok' });
}

function parseAssignRequest(body: unknown): AssignRequest {
  if (!isRecord(body)) throw new Problem('INVALID_REQUEST', 'the body must be a JSON object');
  const { ticket, env } = body;
  if (typeof ticket !== 'string' || !TICKET.test(ticket)) {
    throw new Problem('INVALID_REQUEST', 'ticket must be 1 to 2048 printable characters without spaces');
  }
  return { ticket, env: parseEnvironment(env) };
}
