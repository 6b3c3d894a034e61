import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';

/** A server on this machine that tells what it was asked. */
export async function startUpstream(
  answer: (request: IncomingMessage, body: string) => unknown = (asked, body) => ({
    method: asked.method,
    url: asked.url,
    headers: asked.headers,
    body,
  }),
): Promise<{ server: Server; port: number }> {
  const server = createServer(async (asked, response) => {
    const body = await text(asked);
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer(asked, body)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port }; // it listens on TCP
}

/** One request to the proxy at this port: `path` may be an absolute URL. */
export async function ask(
  port: number,
  method: string,
  path: string,
  options: { headers?: Record<string, string>; body?: string } = {},
): Promise<{ status: number; headers: IncomingMessage['headers']; body: string }> {
  const asked = request({
    host: '127.0.0.1',
    port,
    method,
    path,
    headers: options.headers ?? {},
    agent: false,
  });
  asked.end(options.body);
  const [response] = await once(asked, 'response');
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

/** A tunnel through the proxy at this port; undefined with the status when it is refused. */
export async function tunnel(
  port: number,
  target: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; socket: Socket }> {
  const socket = connect(port, '127.0.0.1');
  const lines = [`CONNECT ${target} HTTP/1.1`, `Host: ${target}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  let head = '';
  while (!head.includes('\r\n\r\n')) {
    const [chunk] = await once(socket, 'data');
    head += chunk;
  }
  return { status: Number(head.split(' ')[1]), socket };
}
