import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, renameSync, rmSync, type Stats, statSync } from 'node:fs';
import type { Server } from 'node:http';
import { dirname, join } from 'node:path';

/**
 * A proxy's socket where a container looks for it. It is bound beside and renamed into place, so that the container
 * never finds none, and whoever listened there before can't take the new one away.
 */
export class ContainerListener {
  readonly #server: Server;
  readonly #socket: string;
  #own: Stats | undefined;

  constructor(server: Server, socket: string) {
    this.#server = server;
    this.#socket = socket;
  }

  async listen(): Promise<void> {
    // As short as `proxy.sock`: the kernel bounds the path of a socket.
    const beside = join(dirname(this.#socket), `.${randomBytes(4).toString('hex')}`);
    this.#server.listen(beside);
    await once(this.#server, 'listening');
    try {
      // For a container of another uid; only its own folder is mounted there, and only to be read.
      chmodSync(beside, 0o666);
      this.#own = statSync(beside);
      renameSync(beside, this.#socket);
    } catch (error) {
      rmSync(beside, { force: true });
      this.#server.close();
      throw error;
    }
  }

  isAt(socket: string): boolean {
    return socket === this.#socket && this.isInPlace;
  }

  /** Whether the container still reaches this one. */
  get isInPlace(): boolean {
    const found = statSync(this.#socket, { throwIfNoEntry: false });
    return found !== undefined && found.ino === this.#own?.ino && found.dev === this.#own.dev;
  }

  /** Takes no new connections. */
  close(): void {
    this.#server.close();
  }
}
