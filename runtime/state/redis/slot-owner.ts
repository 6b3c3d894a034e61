import { isIP } from 'node:net';
import type { Redis } from 'ioredis';

const MOVED = /^MOVED \d+ (\S*):(\d+)$/;

/**
 * On a cluster all our keys are in one slot, and one node has it. Any other that is asked names that one: the client
 * goes there, and back to where it began once that one is gone.
 */
export class SlotOwner {
  readonly #begin: { host: string; port: number };
  readonly #secure: boolean;
  #client: Redis | undefined;
  #moving = false;

  constructor(url: string) {
    const { hostname, port, protocol } = new URL(url);
    this.#begin = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 6379) };
    this.#secure = protocol === 'rediss:';
  }

  /** For the client's options. */
  get options(): { reconnectOnError: (error: Error) => boolean; tls?: { servername: string } } {
    return {
      // A demoted primary keeps its connections; its name leads to the new one.
      reconnectOnError: (error) => this.#moved(error) || error.message.startsWith('READONLY'),
      // Whatever node it is: that it is the cluster's is what its certificate has to say.
      ...(this.#secure && isIP(this.#begin.host) === 0 ? { tls: { servername: this.#begin.host } } : {}),
    };
  }

  /** From now on this client is where the slot is, as soon as it has been sent elsewhere once. */
  lead(client: Redis): void {
    this.#client = client;
    client.on('close', () => {
      if (!this.#moving) Object.assign(client.options, this.#begin);
      this.#moving = false;
    });
  }

  /** Resolves at the node that has the key, or that has no cluster. */
  async find(key: string): Promise<void> {
    const client = this.#client;
    if (client === undefined) return;
    const { promise: ready, resolve } = Promise.withResolvers<void>();
    client.once('ready', resolve);
    await client.exists(key).catch((error: Error) => (isMoved(error) ? ready : undefined));
    client.off('ready', resolve);
  }

  #moved(error: Error): boolean {
    const [, host, port] = MOVED.exec(error.message) ?? [];
    if (this.#client === undefined || port === undefined) return false;
    this.#moving = true;
    Object.assign(this.#client.options, { port: Number(port) }, host === '' ? {} : { host });
    return true;
  }
}

export function isMoved(error: Error): boolean {
  return MOVED.test(error.message);
}
