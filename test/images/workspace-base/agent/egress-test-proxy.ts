import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';

/** An upstream's host, which only the test's proxy knows. */
export const UPSTREAM = 'upstream.test';

/** A forward proxy as small as one can be: everything it is asked for comes from one upstream of the test. */
export class TestProxy {
  /** In order: `GET http://…` or `CONNECT host:port`. */
  readonly asked: string[] = [];
  readonly #server: Server;
  readonly #tunnels = new Set<Socket>();

  constructor(upstreamPort: number) {
    this.#server = createServer((req, res) => {
      this.asked.push(`${req.method} ${req.url}`);
      // To a relative path it is the server itself, as for a base URL that names it.
      const { pathname, search } = new URL(req.url ?? '', `http://${UPSTREAM}`);
      const { method, headers } = req;
      const upstream = request({
        port: upstreamPort,
        host: '127.0.0.1',
        path: pathname + search,
        method,
        headers,
      });
      upstream.on('response', (answer) => {
        res.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(res);
      });
      upstream.on('error', () => res.destroy());
      req.pipe(upstream);
    });
    this.#server.on('connect', (req, client: Socket, head: Buffer) => {
      this.asked.push(`CONNECT ${req.url}`);
      const upstream = connect(upstreamPort, '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        upstream.write(head);
        client.pipe(upstream).pipe(client);
      });
      for (const socket of [client, upstream]) {
        this.#tunnels.add(socket);
        socket.on('error', () => socket.destroy());
      }
    });
  }

  /** As the egress proxy does it: open to whatever user the container has. */
  async listen(path: string): Promise<void> {
    this.#server.listen(path);
    await once(this.#server, 'listening');
    chmodSync(path, 0o666);
  }

  /** What it was asked since the last time. */
  take(): string[] {
    return this.asked.splice(0);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
    for (const socket of this.#tunnels) socket.destroy();
  }
}
