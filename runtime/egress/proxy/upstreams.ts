import type { Socket } from 'node:net';
import { SharedRead } from '../../http1/shared-read.ts';
import { type ConnectionKeeper, UpstreamConnection } from '../../http1/upstream-connection.ts';
import { Refusal } from '../verdict/refusal.ts';
import { type Lookup, resolveTarget } from '../verdict/resolve-target.ts';
import type { Destination } from './destination.ts';
import { type DialOptions, dial, secure } from './dial.ts';
import type { Limits } from './limits.ts';
import { Turnstile } from './turnstile.ts';
import { badAnswer, UpstreamFailure } from './upstream-failure.ts';
import { UpstreamPool } from './upstream-pool.ts';

/** Makes one gate's connections, so that none is shared with another's. */
export class Upstreams {
  readonly #lookup: Lookup;
  readonly #limits: Limits;
  readonly #lookups: Turnstile;
  #opening = 0;

  constructor(lookup: Lookup, limits: Limits) {
    this.#lookup = lookup;
    this.#limits = limits;
    this.#lookups = new Turnstile(limits.lookups);
  }

  /** For a tunnel. Resolves, judges and dials. Throws a Refusal or an UpstreamFailure. */
  open(destination: Destination): Promise<Socket> {
    return this.#open(destination, { halfOpen: true });
  }

  /** A pool of its own: connections are reused by destination, without resolving again. */
  pool(): UpstreamPool {
    return new UpstreamPool(
      (destination, keeper) => this.#connect(destination, keeper),
      this.#limits.pooledMs,
    );
  }

  /** For requests. */
  async #connect(destination: Destination, keeper: ConnectionKeeper): Promise<UpstreamConnection> {
    if (destination.secure) {
      return new UpstreamConnection(await this.#open(destination, { halfOpen: false }), keeper);
    }
    const read = new SharedRead();
    const socket = await this.#open(destination, { halfOpen: false, read: read.options });
    if (!read.early) return new UpstreamConnection(socket, keeper, read);
    socket.destroy();
    throw badAnswer('it sent something before it was asked');
  }

  async #open(destination: Destination, options: DialOptions): Promise<Socket> {
    // A client that leaves does not stop what it began; this bounds how much of it there is.
    if (this.#opening >= this.#limits.connections) {
      throw new Refusal('too_many', 'Too many connections are being opened at once; wait for some of them.');
    }
    this.#opening += 1;
    try {
      const deadline = performance.now() + this.#limits.connectMs;
      const addresses = await within(
        this.#limits.connectMs,
        resolveTarget(destination, destination.match, (host) => this.#lookups.run(() => this.#lookup(host))),
      );
      const socket = await dial(addresses, destination.port, { deadline, ...options });
      return destination.secure ? await secure(socket, destination.host, deadline) : socket;
    } finally {
      this.#opening -= 1;
    }
  }
}

function within<T>(patienceMs: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new UpstreamFailure('timed_out', "The host's name could not be resolved in time.")),
      patienceMs,
    );
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
