import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach } from 'vitest';
import { must } from '../../support/must.ts';

export const HOST = '127.0.0.1';
export const TOKEN = 'canary-of-the-token';

const RESULT = {
  exit_code: 0,
  output: 'x',
  stdout: 'x',
  stderr: '',
  truncated: false,
  timed_out: false,
  duration_ms: 1,
};

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** After the test. */
export function atEnd(end: () => void): void {
  ends.push(end);
}

const proofOf = (nonce: string, token: string): string =>
  createHmac('sha256', token).update(nonce).digest('hex');

export const nonceIn = (request: string): string =>
  must(/^GET \/health\?nonce=([0-9a-f]+) /.exec(request)?.[1]);

/** The health of an agent that knows this token, to the nonce of this request. */
export function healthFor(request: string, token = TOKEN): { proof: string } & Record<string, unknown> {
  const proof = proofOf(nonceIn(request), token);
  return { status: 'ok', protocol: 1, version: '1', ticket: null, executions: [], proof };
}

export function answerOf(body: string, head = ''): string {
  return `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${head}Content-Length: ${body.length}\r\n\r\n${body}`;
}

export interface Impostor {
  port: number;
  /** All that came down each connection. */
  received: string[];
  /** Which connections are closed. */
  closed: boolean[];
}

/** Whoever has an address now, and answers each request like this. */
export async function impostorThat(answer: (request: string, socket: Socket) => void): Promise<Impostor> {
  const received: string[] = [];
  const closed: boolean[] = [];
  const server = createServer((socket) => {
    const at = received.push('') - 1;
    closed.push(false);
    socket.on('error', () => {});
    socket.on('close', () => {
      closed[at] = true;
    });
    socket.on('data', (data) => {
      received[at] = `${received[at]}${data}`;
      answer(`${data}`, socket);
    });
  });
  return { port: await listen(server), received, closed };
}

/** An agent that knows the token, and what was asked down each of its connections. */
export async function agentWith(token: string) {
  const connections: string[][] = [];
  const asked = new WeakMap<Socket, string[]>();
  const server = createHttpServer(async (request, response) => {
    const { method, url = '', headers } = request;
    must(asked.get(request.socket)).push(`${method} ${url.split('?')[0]}`);
    const body = await text(request);
    if (url.startsWith('/health?')) {
      const health = JSON.stringify(healthFor(`${method} ${url} `, token));
      response.setHeader('content-length', health.length).end(health);
      return;
    }
    if (headers.authorization !== `Bearer ${token}`) response.statusCode = 401;
    response.end(JSON.stringify({ ...RESULT, stdout: body }));
  });
  server.on('connection', (socket) => {
    const list: string[] = [];
    asked.set(socket, list);
    connections.push(list);
  });
  return { port: await listen(server), connections, server };
}

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  server.listen(0, HOST);
  await once(server, 'listening');
  atEnd(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port; // it listens on TCP
}
