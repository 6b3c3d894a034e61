import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { boundConnections } from './admin-places.ts';
import type { ReplayGuard } from './replay-guard.ts';
import type { AdminRequest, AdminSeal } from './sealed-message.ts';

/** A change that can be asked for; those of one subject are done in the order of their counters. */
export interface AdminCommand {
  subject: string;
  /** Its result is the answer's body. Throws a `RefusedCommand`, having changed nothing. */
  run(body: unknown): unknown;
}

/** Why a command is not carried out; without secrets. */
export class RefusedCommand extends Error {}

export interface AdminOffers {
  command(method: string, path: string): AdminCommand | undefined;
  stats(): unknown;
}

const MOST_BODY_BYTES = 1024 * 1024;
const STATS = '/admin/stats';
/** How long a request may take to come. */
const PATIENCE_MS = 10_000;

/** The admin side of a proxy: health is open, all else sealed both ways. Who has not the key learns nothing. */
export function createAdminServer(
  seal: AdminSeal,
  guard: ReplayGuard,
  offers: AdminOffers,
  patienceMs = PATIENCE_MS,
): Server {
  const statsCommand: AdminCommand = { subject: 'stats', run: () => offers.stats() };
  const server = createServer(
    {
      maxHeaderSize: 8 * 1024,
      headersTimeout: patienceMs,
      requestTimeout: patienceMs,
      keepAliveTimeout: 5_000,
      connectionsCheckingInterval: patienceMs / 10,
    },
    (request, response) => {
      request.on('error', () => response.destroy());
      response.on('error', () => response.destroy());
      void answer(request, response);
    },
  );
  // One that neither sends nor reads is cut as well.
  server.setTimeout(patienceMs * 1.5);
  server.on('clientError', (_, socket) => socket.destroy());
  boundConnections(server);
  return server;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    if (method === 'GET' && url === '/health') {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"ok"}\n');
      return;
    }
    if (method === 'GET' && url === STATS) {
      const counter = seal.proven(method, url, `${request.headers['x-berth-proof'] ?? ''}`);
      if (counter === undefined) return turnAway(response, 401);
      return carryOut(response, { counter, method, path: url, body: undefined }, statsCommand);
    }
    if (Number(request.headers['content-length']) > MOST_BODY_BYTES) return turnAway(response, 413);
    const body = await gather(request);
    if (body === undefined) return;
    const opened = seal.openRequest(body);
    if (opened?.method !== method || opened.path !== url) return turnAway(response, 401);
    carryOut(response, opened, offers.command(method, url));
  }

  function carryOut(
    response: ServerResponse,
    request: AdminRequest,
    command: AdminCommand | undefined,
  ): void {
    const [status, body] = outcome(request, command);
    response.writeHead(status, { 'content-type': 'application/octet-stream' });
    response.end(seal.sealAnswer({ ...request, status, body }));
  }

  function outcome(
    request: AdminRequest,
    command: AdminCommand | undefined,
  ): [status: number, body: unknown] {
    if (command === undefined) return [404, { message: 'There is no such admin call here.' }];
    const last = guard.take(command.subject, request.counter);
    if (last !== undefined) return [409, { last }];
    try {
      return [200, command.run(request.body)];
    } catch (error) {
      if (error instanceof RefusedCommand) return [400, { message: error.message }];
      throw error;
    }
  }
}

/** Nothing is read from the connection any more. */
function turnAway(response: ServerResponse, status: 401 | 413): void {
  response.writeHead(status, { connection: 'close', 'content-length': 0 }).end();
}

/** Undefined where the connection is cut: by the client, or for being too slow or sending too much. */
async function gather(request: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    // The cast: without an encoding, streams give buffers.
    for await (const part of request as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > MOST_BODY_BYTES) return undefined;
      parts.push(part);
    }
    return Buffer.concat(parts);
  } catch {
    return undefined;
  }
}
