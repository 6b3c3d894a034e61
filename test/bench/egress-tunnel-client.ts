import { connect, type Socket, type SocketConnectOpts } from 'node:net';
import { type BulkOrder, readingInto, sendBytes } from './egress-bulk.ts';

/** The near end of a tunnel. */
export class TunnelClient implements Disposable {
  readonly #socket: Socket;
  #received = 0;
  #answer = '';
  #step = Promise.withResolvers<void>();

  private constructor(address: SocketConnectOpts) {
    const onread = readingInto((bytes, buffer) => {
      this.#received += bytes;
      if (this.#answer.length < 1024)
        this.#answer += Buffer.from(buffer.subarray(0, bytes)).toString('latin1');
      this.#step.resolve();
    });
    this.#socket = connect({ ...address, onread });
    this.#socket.on('error', (error) => this.#step.reject(error));
    this.#socket.on('close', () => this.#step.reject(new Error('the tunnel was closed')));
    this.#step.promise.catch(() => {});
  }

  /** Connects to what leads to the far end; with an authority, to a proxy that is asked for a tunnel there. */
  static async open(address: SocketConnectOpts, authority?: string): Promise<TunnelClient> {
    const client = new TunnelClient(address);
    if (authority !== undefined) {
      client.#socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
      await client.#until(() => client.#answer.includes('\r\n\r\n'));
      if (!/^HTTP\/1\.1 200 /.test(client.#answer)) throw new Error(`there is no tunnel: ${client.#answer}`);
    }
    return client;
  }

  /** Resolves once all bytes have come, or were confirmed. A tunnel does one. */
  async carry({ way, bytes }: BulkOrder): Promise<void> {
    const wanted = this.#received + (way === 'down' ? bytes : 1);
    this.#socket.write(`${JSON.stringify({ way, bytes })}\n`);
    if (way === 'up') sendBytes(this.#socket, bytes);
    await this.#until(() => this.#received >= wanted);
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }

  async #until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      await this.#step.promise;
      this.#step = Promise.withResolvers();
      this.#step.promise.catch(() => {});
    }
  }
}
