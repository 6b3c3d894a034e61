import type { Socket } from 'node:net';
import { ContainerAgent, KEPT_IDLE_MS } from '../../containers/container-agent.ts';
import type { ContainerBackend, Endpoint } from '../../containers/container-backend.ts';
import type { ContainerId } from '../../contracts/ids.ts';

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
  /** Closed by us: their end tells nothing. */
  readonly #dropped = new WeakSet<Socket>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** `isKept`: a connection is open that the last call has left. */
  async of(
    worker: ContainerId,
    port: number,
  ): Promise<{ endpoint: Endpoint; agent: ContainerAgent; isKept: boolean }> {
    const known = this.#known.get(worker) ?? (await this.#add(worker, port));
    const now = performance.now();
    // One that stood for long may be closed by the program just now.
    if (now - known.lastUsed > KEPT_IDLE_MS) this.#dropIdle(known);
    known.lastUsed = now;
    const isKept = Object.values(known.agent.freeSockets).some((free) => free?.some(isOpen) === true);
    return { endpoint: known.endpoint, agent: known.agent, isKept };
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

  /** Forgets those without a connection: most have been ended elsewhere. */
  tidy(now: number): void {
    for (const [worker, { agent, lastUsed }] of this.#known) {
      const isConnected = [agent.sockets, agent.freeSockets].some((each) => Object.keys(each).length > 0);
      if (!isConnected && now - lastUsed > WATCHED_MS) this.forget(worker);
    }
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
      socket.once('close', () => {
        if (!this.#dropped.has(socket)) this.#closed(worker, known);
      });
    });
    return known;
  }

  #dropIdle({ agent }: Known): void {
    for (const free of Object.values(agent.freeSockets))
      for (const socket of free ?? []) this.#dropped.add(socket);
    agent.dropIdle();
  }

  /** No other connection is in use: so no call will tell. */
  #closed(worker: ContainerId, known: Known): void {
    if (this.#known.get(worker) !== known) return;
    const busy = Object.values(known.agent.sockets).some((sockets) => (sockets?.length ?? 0) > 0);
    if (!busy) this.#parts.onIdleClosed(worker);
  }
}

function isOpen(socket: Socket): boolean {
  return !socket.destroyed && socket.writable;
}
