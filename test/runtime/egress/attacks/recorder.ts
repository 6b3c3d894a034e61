import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createPlainServer, type Server as PlainServer, type Socket } from 'node:net';

/** A server that keeps what comes to it. */
export class Recorder implements AsyncDisposable {
  /** Connections so far. */
  connections = 0;
  readonly #server: Server | PlainServer;
  readonly #open = new Set<Socket>();
  #bytes = '';

  private constructor(server: Server | PlainServer) {
    this.#server = server;
    server.on('connection', (socket: Socket) => {
      this.connections += 1;
      this.#open.add(socket);
      socket.on('close', () => this.#open.delete(socket)).on('error', () => {});
      // Besides Node's own parser, where there is one.
      socket.on('data', (chunk) => {
        this.#bytes += chunk.toString('latin1');
      });
    });
  }

  /** One that answers as an HTTP server does; throws where the port is taken. */
  static http(host: string, port: number, answer: RequestListener): Promise<Recorder> {
    return Recorder.#listen(createServer(answer), host, port);
  }

  static plain(host: string, port: number, serve: (socket: Socket) => void = () => {}): Promise<Recorder> {
    return Recorder.#listen(createPlainServer(serve), host, port);
  }

  static async #listen(server: Server | PlainServer, host: string, port: number): Promise<Recorder> {
    const recorder = new Recorder(server);
    server.listen(port, host);
    await once(server, 'listening');
    return recorder;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** What came since it was last taken. */
  get bytes(): string {
    return this.#bytes;
  }

  take(): string {
    const bytes = this.#bytes;
    this.#bytes = '';
    return bytes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
