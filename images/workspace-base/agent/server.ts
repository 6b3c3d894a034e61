import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Agent, type Call, TERMINAL_UPGRADE } from './agent.ts';
import { ClientGone } from './http/body-writer.ts';
import { sendJson } from './http/send-json.ts';
import { Problem } from './problem.ts';
import { findRoute } from './routes.ts';

/** Longer than the runtime keeps an unused connection, so that a call never meets one that is closing. */
const KEEP_ALIVE_MS = 75_000;

/** The agent's HTTP server, not listening yet. No time limit cuts a body: streams last as long as they last. */
export function createAgentServer(agent: Agent): Server {
  const server = createServer(
    {
      requestTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Any other is not offered, and the request answered as if nobody had asked for it.
      shouldUpgradeCallback: ({ headers }) => headers.upgrade === TERMINAL_UPGRADE,
    },
    (req, res) => void answer({ agent, req, res, ...addressOf(req) }),
  );
  server.on('upgrade', (req, stream, head) => {
    const socket = stream as Socket; // Node's server hands out its sockets
    socket.on('error', () => socket.destroy());
    const res = new ServerResponse(req);
    res.shouldKeepAlive = false;
    res.assignSocket(socket);
    res.once('finish', () => socket.destroySoon());
    void answer({ agent, req, res, ...addressOf(req), upgrade: { socket, head } });
  });
  return server;
}

function addressOf({ url = '' }: IncomingMessage): Pick<Call, 'path' | 'query'> {
  const [path = '', query = ''] = url.split(/\?(.*)/s, 2);
  return { path, query };
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
