import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { EgressState } from '../../../../runtime/contracts/egress.ts';
import { Gate } from '../../../../runtime/egress/gate.ts';
import { createProxyServer, type ProxyOptions } from '../../../../runtime/egress/proxy/proxy-server.ts';

export type LogLine = Record<string, unknown>;

/** A state that lets nothing through, but for what is given. */
export function stateOf(state: Partial<EgressState>): EgressState {
  return { allowed_domains: [], mcp_domains: [], mcp_servers: {}, signing: null, anthropic: null, ...state };
}

/** The port of a server that listens on 127.0.0.1 for as long as the test runs. */
export async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  // A server on TCP that listens has an address with a port.
  return (server.address() as AddressInfo).port;
}

/** An upstream on bare sockets: it shows what came, and answers as the test says. */
export async function startUpstream(answer: (socket: Socket, seen: string) => void = answerHello) {
  const upstream = { port: 0, connections: [] as Socket[], seen: [] as string[] };
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const index = upstream.connections.push(socket) - 1;
    upstream.seen.push('');
    socket.on('data', (chunk) => {
      upstream.seen[index] += chunk.toString('latin1');
      answer(socket, upstream.seen[index] ?? '');
    });
  });
  upstream.port = await listen(server);
  return upstream;
}

/** Answers every request whose head is whole and that has no body. */
export function answerHello(socket: Socket, seen: string): void {
  if (seen.endsWith('\r\n\r\n')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello');
}

/** A gate with its own proxy, to which every name under `.test` is 127.0.0.1. */
export async function startProxy(state: Partial<EgressState>, options: ProxyOptions = {}) {
  const lines: LogLine[] = [];
  const gate = new Gate('ws-000000000001', (line) => lines.push(line));
  gate.replace(stateOf(state));
  const server = createProxyServer(gate, { lookup: async () => ['127.0.0.1'], ...options });
  const port = await listen(server);
  return {
    gate,
    lines,
    port,
    server,
    open: () => openClient(port),
    ask: (bytes: string) => ask(port, bytes),
  };
}

/** A client on a bare socket, which keeps all that comes. */
export function openClient(port: number) {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const client = { socket, received: '', ended: false, closed: false, failed: false };
  socket.on('data', (chunk) => {
    client.received += chunk.toString('latin1');
  });
  socket.on('end', () => {
    client.ended = true;
  });
  socket.on('error', () => {
    client.failed = true;
  });
  socket.on('close', () => {
    client.closed = true;
  });
  onTestFinished(() => void socket.destroy());
  return client;
}

/** Sends bytes and gives what came until the proxy closed the connection, or one whole answer with its length did. */
export async function ask(port: number, bytes: string): Promise<string> {
  const client = openClient(port);
  client.socket.write(Buffer.from(bytes, 'latin1'));
  await until(() => client.ended || client.closed || isWhole(client.received));
  client.socket.destroy();
  return client.received;
}

function isWhole(text: string): boolean {
  const head = text.indexOf('\r\n\r\n');
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(text)?.[1];
  return head >= 0 && length !== undefined && text.length >= head + 4 + Number(length);
}

/** Waits for a condition; fails when it does not come about. */
export async function until(condition: () => boolean, patienceMs = 5000): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`not within ${patienceMs} ms: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
