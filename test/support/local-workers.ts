import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type {
  ContainerBackend,
  ContainerSpec,
  ContainerView,
  Endpoint,
} from '../../runtime/containers/container-backend.ts';
import { BerthError } from '../../runtime/contracts/errors.ts';
import type { ContainerId } from '../../runtime/contracts/ids.ts';

interface Running {
  spec: ContainerSpec;
  server: Server;
  endpoint: Endpoint;
  paused: boolean;
}

/**
 * A backend for tests that are about calls: each of its workers is a real HTTP server of this process. What a container
 * is beside that (isolation, limits, files) it does not have.
 */
export class LocalWorkers implements ContainerBackend {
  readonly kind = 'process';
  readonly capabilities = { pause: true, stats: false, isolates: false };
  readonly volumes = undefined;
  /** Every worker there was, in order. */
  readonly created: ContainerId[] = [];
  readonly #listener: (worker: ContainerId) => RequestListener;
  readonly #running = new Map<ContainerId, Running>();
  /** May throw, or take its time. */
  beforeCreate: (spec: ContainerSpec) => Promise<void> = async () => {};

  constructor(listener: (worker: ContainerId) => RequestListener) {
    this.#listener = listener;
  }

  get running(): ContainerId[] {
    return [...this.#running.keys()];
  }

  /** It takes no connections any more, and those it has are cut; nobody has told. */
  async kill(id: ContainerId): Promise<void> {
    const { server } = this.#find(id);
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }

  async create(spec: ContainerSpec): Promise<void> {
    await this.beforeCreate(spec);
    const server = createServer({ keepAliveTimeout: 75_000 }, this.#listener(spec.id));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // it listens on TCP
    const endpoint = { kind: 'address', host: '127.0.0.1', port } as const;
    this.created.push(spec.id);
    this.#running.set(spec.id, { spec, server, endpoint, paused: false });
  }

  async destroy(id: ContainerId): Promise<void> {
    const known = this.#running.get(id);
    if (known === undefined) return;
    this.#running.delete(id);
    known.server.close();
    known.server.closeAllConnections();
  }

  async inspect(id: ContainerId): Promise<ContainerView | undefined> {
    const known = this.#running.get(id);
    if (known === undefined) return undefined;
    const { spec, server, paused } = known;
    const state = paused ? 'paused' : server.listening ? 'running' : 'exited';
    return { id, role: spec.role, engineId: id, state, createdAt: 0, labels: spec.labels };
  }

  async list(): Promise<ContainerView[]> {
    const views = await Promise.all(this.running.map((id) => this.inspect(id)));
    return views.filter((view) => view !== undefined);
  }

  async logs(): Promise<string> {
    return '';
  }

  async pause(id: ContainerId): Promise<void> {
    this.#find(id).paused = true;
  }

  async resume(id: ContainerId): Promise<void> {
    this.#find(id).paused = false;
  }

  async stats(): Promise<never> {
    throw new BerthError('NOT_SUPPORTED', 'servers of this process have no figures of their own');
  }

  async endpoint(id: ContainerId): Promise<Endpoint> {
    return this.#find(id).endpoint;
  }

  async hasImage(): Promise<boolean> {
    return true;
  }

  async pullImage(): Promise<void> {}
  async ping(): Promise<void> {}

  async close(): Promise<void> {
    for (const id of this.running) await this.destroy(id);
  }

  #find(id: ContainerId): Running {
    const known = this.#running.get(id);
    if (known === undefined) throw new BerthError('CONTAINER_NOT_FOUND', `there is no ${id}`);
    return known;
  }
}
