import { once } from 'node:events';
import { connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net';

type Link = 'up' | 'cut' | 'frozen';

/**
 * Stands before a service on a port of its own, to make outages of it without touching the service.
 *
 *     await using relay = await CuttableRelay.open({ host: '127.0.0.1', port: 6379 });
 *     relay.cut();      // connections break, and new ones do at once
 *     relay.cutAfter(1e6); // the same once clients have sent so many more bytes
 *     relay.freeze();   // connections stay, new ones are accepted, and no byte passes
 *     relay.restore();  // what was held back while frozen passes then
 */
export class CuttableRelay implements AsyncDisposable {
  readonly port: number;
  readonly #server: Server;
  readonly #target: NetConnectOpts;
  readonly #pairs = new Set<Pair>();
  #link: Link = 'up';
  #bytesLeft = Number.POSITIVE_INFINITY;

  private constructor(server: Server, target: NetConnectOpts) {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.');
    this.port = address.port;
    this.#server = server;
    this.#target = target;
    server.on('connection', (socket) => this.#accept(socket));
  }

  /** `target` is `{ host, port }` or, for a socket file, `{ path }`. */
  static async open(target: NetConnectOpts): Promise<CuttableRelay> {
    const server = createServer({ allowHalfOpen: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new CuttableRelay(server, target);
  }

  /** How many connections there are, to wait for one to come or to go. */
  get connections(): number {
    return this.#pairs.size;
  }

  cut(): void {
    this.#bytesLeft = Number.POSITIVE_INFINITY;
    this.#link = 'cut';
    for (const pair of this.#pairs) pair.destroy();
  }

  cutAfter(bytes: number): void {
    this.#bytesLeft = bytes;
  }

  get isCut(): boolean {
    return this.#link === 'cut';
  }

  freeze(): void {
    this.#link = 'frozen';
    for (const pair of this.#pairs) pair.hold();
  }

  restore(): void {
    const held = this.#link === 'frozen' ? this.#pairs : [];
    this.#link = 'up';
    for (const pair of held) pair.flow();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(client: Socket): void {
    if (this.#link === 'cut') {
      client.on('error', () => {});
      client.resetAndDestroy();
      return;
    }
    const pair = new Pair(client, this.#target, () => this.#pairs.delete(pair));
    this.#pairs.add(pair);
    client.on('data', ({ length }) => {
      this.#bytesLeft -= length;
      if (this.#bytesLeft <= 0) this.cut();
    });
    if (this.#link === 'up') pair.flow();
  }
}

/** A client's connection and the one made for it, held until told to flow. */
class Pair {
  readonly #client: Socket;
  readonly #target: NetConnectOpts;
  readonly #onClose: () => void;
  #service: Socket | undefined;

  constructor(client: Socket, target: NetConnectOpts, onClose: () => void) {
    this.#client = client;
    this.#target = target;
    this.#onClose = onClose;
    this.#follow(client);
    client.pause();
  }

  flow(): void {
    if (this.#client.destroyed) return;
    if (this.#service === undefined) {
      this.#service = connect({ ...this.#target, allowHalfOpen: true });
      this.#follow(this.#service);
    }
    this.#client.pipe(this.#service);
    this.#service.pipe(this.#client);
  }

  hold(): void {
    for (const socket of [this.#client, this.#service]) socket?.unpipe().pause();
  }

  destroy(): void {
    this.#client.resetAndDestroy();
    this.#service?.destroy();
  }

  #follow(socket: Socket): void {
    // Whatever ends one side ends the other.
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#client.destroy();
      this.#service?.destroy();
      this.#onClose();
    });
  }
}
