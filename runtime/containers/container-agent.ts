import { Agent } from 'node:http';
import { connect, type OnReadOpts, type Socket } from 'node:net';
import type { Endpoint } from './container-backend.ts';

const CONNECT_MS = 5_000;
/** Shorter than servers wait commonly, so that a kept connection is seldom one that was just closed. */
export const KEPT_IDLE_MS = 4_000;
/** A peer that is gone without a word is noticed. */
export const PROBE_MS = 30_000;
const KEPT_AT_MOST = 32;

/** Keeps connections to one port of a container, and opens them in bounded time. */
export class ContainerAgent extends Agent {
  readonly #endpoint: Endpoint;

  constructor(endpoint: Endpoint, idleMs = KEPT_IDLE_MS) {
    super({ keepAlive: true, timeout: idleMs, maxFreeSockets: KEPT_AT_MOST, scheduling: 'lifo' });
    this.#endpoint = endpoint;
  }

  override createConnection(): Socket {
    return openConnection(this.#endpoint);
  }

  keep(): void {
    this.maxFreeSockets = KEPT_AT_MOST;
  }

  /** What is idle is closed now, what is in use once it is idle. */
  retire(): void {
    this.maxFreeSockets = 0;
    this.dropIdle();
  }

  dropIdle(): void {
    for (const sockets of Object.values(this.freeSockets))
      for (const socket of sockets ?? []) socket.destroy();
  }
}

/** Within bounded time, or its `error` says that it takes none. `onread`: where its bytes go, if not through the socket. */
export function openConnection(endpoint: Endpoint, onread?: OnReadOpts): Socket {
  const where =
    endpoint.kind === 'socket' ? { path: endpoint.path } : { host: endpoint.host, port: endpoint.port };
  const socket = connect({ ...where, ...(onread && { onread }) });
  const late = setTimeout(() => socket.destroy(new Error('it takes no connection')), CONNECT_MS);
  const over = () => clearTimeout(late);
  socket.once('connect', over).once('close', over);
  return socket.setNoDelay(true).setKeepAlive(true, PROBE_MS);
}
