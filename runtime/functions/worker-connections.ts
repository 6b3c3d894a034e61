import type { Socket } from 'node:net';
import { ContainerAgent, KEPT_IDLE_MS } from '../containers/container-agent.ts';
import type { ContainerBackend, Endpoint } from '../containers/container-backend.ts';
import type { ContainerId } from '../contracts/ids.ts';

/** A connection that nobody uses tells by its end that a worker is gone. */
const WATCHED_MS = 60_000;

interface Known {
  endpoint: Endpoint;
  agent: ContainerAgent;
  /** By `performance.now()`. */
  lastUsed: number;
}

interface Parts {
  backend: Pick<ContainerBackend, 'endpoint'>;
  /** A connection that stood idle was closed: by a program that is tidy, or because there is none any more. */
  onIdleClosed: (worker: ContainerId) => void;
}

/** Connections to workers, kept from call to call. */
export class WorkerConnections {
  readonly #parts: Parts;
  readonly #known = new Map<ContainerId, Known>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async of(worker: ContainerId, port: number): Promise<{ endpoint: Endpoint; agent: ContainerAgent }> {
    const known = this.#known.get(worker) ?? (await this.#add(worker, port));
    const now = performance.now();
    // One that stood for long may be closed by the program just now.
    if (now - known.lastUsed > KEPT_IDLE_MS) known.agent.dropIdle();
    known.lastUsed = now;
    return known;
  }

  /** A call is over. */
  used(worker: ContainerId): void {
    const known = this.#known.get(worker);
    if (known !== undefined) known.lastUsed = performance.now();
  }

  forget(worker: ContainerId): void {
    const known = this.#known.get(worker);
    this.#known.delete(worker);
    known?.agent.destroy();
  }

  close(): void {
    for (const worker of this.#known.keys()) this.forget(worker);
  }

  async #add(worker: ContainerId, port: number): Promise<Known> {
    const endpoint = await this.#parts.backend.endpoint(worker, port);
    const agent = new ContainerAgent(endpoint, WATCHED_MS);
    const known = { endpoint, agent, lastUsed: performance.now() };
    this.#known.set(worker, known);
    const watched = new WeakSet<Socket>();
    agent.on('free', (socket: Socket) => {
      if (watched.has(socket)) return;
      watched.add(socket);
      socket.once('close', () => this.#closed(worker, known));
    });
    return known;
  }

  /** No other connection is in use: so no call will tell. */
  #closed(worker: ContainerId, known: Known): void {
    if (this.#known.get(worker) !== known) return;
    const busy = Object.values(known.agent.sockets).some((sockets) => (sockets?.length ?? 0) > 0);
    if (!busy) this.#parts.onIdleClosed(worker);
  }
}
