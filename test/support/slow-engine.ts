import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo, NetConnectOpts } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Stands before an engine, and takes its time to pass on that a container is to be made. */
export class SlowEngine implements AsyncDisposable {
  readonly host: string;
  readonly #server: Server;
  createMs = 0;

  private constructor(server: Server, target: NetConnectOpts) {
    this.#server = server;
    this.host = `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server that listens has one
    const where = 'path' in target ? { socketPath: target.path } : { host: target.host, port: target.port };
    server.on('request', async (asked, answer) => {
      const { method, url = '', headers } = asked;
      if (method === 'POST' && /\/containers\/create\b/.test(url)) await sleep(this.createMs);
      const passed = request({ ...where, method, path: url, headers, agent: false }, (said) => {
        answer.writeHead(said.statusCode ?? 502, said.headers);
        said.pipe(answer);
      });
      passed.on('error', () => answer.destroy());
      answer.on('close', () => passed.destroy());
      asked.pipe(passed);
    });
  }

  static async open(target: NetConnectOpts): Promise<SlowEngine> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new SlowEngine(server, target);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
