import { Agent, type AgentOptions, type RequestOptions } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { AllowMatch } from '../verdict/allow-list.ts';
import type { CanonicalHost } from '../verdict/canonical-host.ts';
import { Refusal } from '../verdict/refusal.ts';
import { type Lookup, resolveTarget } from '../verdict/resolve-target.ts';
import { dial, secure } from './dial.ts';
import type { Limits } from './limits.ts';
import { Turnstile } from './turnstile.ts';
import { UpstreamFailure } from './upstream-failure.ts';

/** Where a connection goes, once the list has let it through. */
export interface Destination {
  readonly host: CanonicalHost;
  readonly port: number;
  readonly secure: boolean;
  readonly match: Exclude<AllowMatch, 'no'>;
}

/** A request through a `PooledAgent` says where it goes by this, and by nothing else. */
export interface PooledRequestOptions extends RequestOptions {
  readonly destination: Destination;
}

const MOST_POOLED = 128;

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

  /** Resolves, judges and dials. Throws a Refusal or an UpstreamFailure. */
  async open(destination: Destination, options = { halfOpen: false }): Promise<Socket> {
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

  /** A pool of its own: connections are reused by destination, without resolving again. */
  pool(): PooledAgent {
    return new PooledAgent(this, { keepAlive: true, timeout: this.#limits.pooledMs, maxFreeSockets: 64 });
  }
}

/** A pool of one policy's connections. */
export class PooledAgent extends Agent {
  readonly #upstreams: Upstreams;

  constructor(upstreams: Upstreams, options: AgentOptions) {
    super(options);
    this.#upstreams = upstreams;
  }

  override getName(options?: object): string {
    const { host, port, secure, match } = destinationOf(options);
    return `${secure ? 'https' : 'http'} ${match} ${port} ${host}`;
  }

  override createConnection(
    options: object,
    callback?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    this.#upstreams.open(destinationOf(options)).then(
      (socket) => callback?.(null, socket),
      // Node's agent looks at the socket only when there is no error; its types do not say so.
      (error: Error) => (callback as ((error: Error) => void) | undefined)?.(error),
    );
  }

  /** Ends what is not in use; nothing is asked of it any more. */
  retire(): void {
    for (const sockets of Object.values(this.freeSockets))
      for (const socket of sockets ?? []) socket.destroy();
  }

  override keepSocketAlive(socket: Duplex): boolean {
    // The types say void; what the base class returns is whether to keep it.
    const keep: unknown = super.keepSocketAlive(socket);
    const pooled = Object.values(this.freeSockets).reduce((sum, sockets) => sum + (sockets?.length ?? 0), 0);
    return keep === true && pooled < MOST_POOLED;
  }
}

function destinationOf(options: object | undefined): Destination {
  // Every request through this agent is made with PooledRequestOptions, which Node hands on as they are.
  return (options as PooledRequestOptions).destination;
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
