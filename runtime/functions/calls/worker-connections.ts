import { KEPT_IDLE_MS, openConnection } from '../../containers/container-agent.ts';
import type { ContainerBackend, Endpoint } from '../../containers/container-backend.ts';
import type { ContainerId } from '../../contracts/ids.ts';
import { SharedRead } from '../../http1/shared-read.ts';
import { type ConnectionKeeper, UpstreamConnection } from '../../http1/upstream-connection.ts';
import type { WorkerProbe } from '../pool/worker-probe.ts';
import { NotReached } from './worker-call.ts';

/** A connection that nobody uses tells by its end that a worker is gone. */
const WATCHED_MS = 60_000;

interface Known {
  endpoint: Endpoint;
  /** A worker has one call at a time. */
  kept: UpstreamConnection | undefined;
  /** By `performance.now()`. */
  lastUsed: number;
}

interface Parts {
  backend: Pick<ContainerBackend, 'endpoint'>;
  probe: WorkerProbe;
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

  /** For one call, after which it comes back by itself. Throws `CONTAINER_NOT_FOUND`, `NotReached`. */
  async take(worker: ContainerId, port: number): Promise<UpstreamConnection> {
    const known = this.#known.get(worker) ?? (await this.#add(worker, port));
    known.lastUsed = performance.now();
    const kept = takeKept(known);
    if (kept !== undefined) return kept;
    // A program that is gone shows in a connection that closes at once: asked before the call, it costs nobody one.
    // On a connection of its own: many a program closes the one it has answered on, without a word before.
    const said = await this.#parts.probe.ask(worker, known.endpoint);
    if (said === undefined) throw new NotReached('it does not answer');
    return this.#open(worker, known);
  }

  async endpoint(worker: ContainerId, port: number): Promise<Endpoint> {
    return (this.#known.get(worker) ?? (await this.#add(worker, port))).endpoint;
  }

  forget(worker: ContainerId): void {
    const known = this.#known.get(worker);
    this.#known.delete(worker);
    known?.kept?.destroy();
  }

  /** Forgets those that were not called for long: most have been ended elsewhere. */
  tidy(now: number): void {
    for (const [worker, { lastUsed }] of this.#known) if (now - lastUsed > WATCHED_MS) this.forget(worker);
  }

  close(): void {
    for (const worker of this.#known.keys()) this.forget(worker);
  }

  async #add(worker: ContainerId, port: number): Promise<Known> {
    const endpoint = await this.#parts.backend.endpoint(worker, port);
    const known: Known = { endpoint, kept: undefined, lastUsed: performance.now() };
    this.#known.set(worker, known);
    return known;
  }

  async #open(worker: ContainerId, known: Known): Promise<UpstreamConnection> {
    const read = new SharedRead();
    const socket = openConnection(known.endpoint, read.options);
    await new Promise((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', (error) => reject(new NotReached(error.message)));
      socket.once('close', () => reject(new NotReached('it takes no connection')));
    });
    const connection = new UpstreamConnection(socket, this.#keeper(worker, known), read);
    if (!read.early) return connection;
    connection.destroy();
    throw new NotReached('it speaks before it is asked');
  }

  #keeper(worker: ContainerId, known: Known): ConnectionKeeper {
    return {
      keep: (connection, forMs) => {
        known.lastUsed = performance.now();
        // One that stood for longer may be closed by the program just now.
        connection.keptUntil = known.lastUsed + Math.min(forMs, KEPT_IDLE_MS);
        if (this.#known.get(worker) !== known || known.kept !== undefined) connection.destroy();
        else known.kept = connection;
      },
      lose: (connection) => {
        if (known.kept !== connection) return;
        known.kept = undefined;
        if (this.#known.get(worker) === known) this.#parts.onIdleClosed(worker);
      },
    };
  }
}

function takeKept(known: Known): UpstreamConnection | undefined {
  const { kept } = known;
  known.kept = undefined;
  if (kept === undefined || (kept.usable && performance.now() < kept.keptUntil)) return kept;
  kept.destroy();
  return undefined;
}
