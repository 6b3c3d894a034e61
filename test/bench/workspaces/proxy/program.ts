import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A program: what a workspace runs. Small answers, many bytes either way, and WebSockets that say nothing. */
const SMALL = Buffer.alloc(200, 'x');
const CHUNK = Buffer.alloc(64 * 1024, 'x');

const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://program');
  if (pathname.endsWith('/down')) sendBytes(response, Number(searchParams.get('bytes')));
  else if (pathname.endsWith('/up')) takeBytes(request, response);
  else response.end(SMALL);
});
server.on('upgrade', (request, socket) => {
  const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const accepted = createHash('sha1').update(key).digest('base64');
  const head = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: websocket'];
  socket.write([...head, `Sec-WebSocket-Accept: ${accepted}`, '', ''].join('\r\n'));
  socket.on('error', () => {}); // it is cut at the end
  socket.on('data', (frame: Buffer) => socket.write(frame));
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
  console.log((server.address() as AddressInfo).port); // it listens on TCP
});

function sendBytes(response: ServerResponse, bytes: number): void {
  response.setHeader('Content-Length', bytes);
  let left = bytes;
  const send = (): void => {
    while (left > 0) {
      const chunk = left < CHUNK.length ? CHUNK.subarray(0, left) : CHUNK;
      left -= chunk.length;
      if (!response.write(chunk)) {
        response.once('drain', send);
        return;
      }
    }
    response.end();
  };
  send();
}

function takeBytes(request: IncomingMessage, response: ServerResponse): void {
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  request.on('end', () => response.end(String(bytes)));
}
