import { createServer, type Server } from 'node:http';
import type { Agent, Call } from './agent.ts';
import { ClientGone } from './http/body-writer.ts';
import { sendJson } from './http/send-json.ts';
import { Problem } from './problem.ts';
import { findRoute } from './routes.ts';

/** Longer than the runtime keeps an unused connection, so that a call never meets one that is closing. */
const KEEP_ALIVE_MS = 75_000;

/** The agent's HTTP server, not listening yet. No time limit cuts a body: streams last as long as they last. */
export function createAgentServer(agent: Agent): Server {
  return createServer({ requestTimeout: 0, keepAliveTimeout: KEEP_ALIVE_MS }, (req, res) => {
    const [path = '', query = ''] = (req.url ?? '').split(/\?(.*)/s, 2);
    void answer({ agent, req, res, path, query });
  });
}

async function answer(call: Call): Promise<void> {
  try {
    if (call.path !== '/health') authenticate(call);
    const route = findRoute(call.path);
    if (!route) throw new Problem('ROUTE_NOT_FOUND', 'there is no such route');
    const handler = route.get(call.req.method ?? '');
    if (!handler) {
      call.res.setHeader('allow', [...route.keys()].join(', '));
      throw new Problem('METHOD_NOT_ALLOWED', `this route has no ${call.req.method}`);
    }
    await handler(call);
  } catch (error) {
    refuse(call, error);
  }
}

/** Everything but `/health` needs the token; a call with it counts as activity until it is over. */
function authenticate({ agent, req, res }: Call): void {
  if (!agent.token.admits(req.headers.authorization)) {
    throw new Problem('UNAUTHENTICATED', 'the agent token is missing or wrong');
  }
  agent.activity.begin();
  res.on('close', () => agent.activity.end());
}

function refuse({ req, res }: Call, error: unknown): void {
  if (res.destroyed || error instanceof ClientGone) return;
  const problem = error instanceof Problem ? error : new Problem('INTERNAL', 'the agent failed');
  if (problem !== error) console.error('agent: %s %s failed:', req.method, req.url, error);
  if (res.headersSent) {
    // The body is cut short on purpose: the client must not take it for whole.
    res.destroy();
    return;
  }
  // A body that was refused half-read is read to its end, so that the client gets to reading the answer.
  req.resume();
  sendJson(res, problem.status, problem.body);
}
