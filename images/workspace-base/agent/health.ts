import type { AGENT_PROTOCOL, AgentHealth } from '../../../runtime/contracts/agent-protocol.ts';
import type { Call } from './agent.ts';
import { queryValues } from './http/query.ts';
import { sendJson } from './http/send-json.ts';
import { Problem } from './problem.ts';

/** The contract's number, as a type: the agent imports no values from the runtime, and can't drift from it. */
const PROTOCOL: typeof AGENT_PROTOCOL = 1;

const MAX_NONCE_LENGTH = 128;

export function getHealth({ agent, query, res }: Call): void {
  const [nonce] = queryValues(query, 'nonce');
  if (nonce !== undefined && nonce.length > MAX_NONCE_LENGTH) {
    throw new Problem('INVALID_REQUEST', `nonce must have at most ${MAX_NONCE_LENGTH} characters`);
  }
  const health: AgentHealth = {
    status: 'ok',
    protocol: PROTOCOL,
    version: agent.version,
    ticket: agent.assignment.ticket,
    ...(nonce !== undefined && { proof: agent.token.prove(nonce) }),
    executions: agent.executions.running,
  };
  sendJson(res, 200, health);
}
