import type { ContainerBackend } from '../containers/container-backend.ts';
import type { ContainerId } from '../contracts/ids.ts';
import type { InstallationSecret } from '../identity/installation-secret.ts';
import { AgentClient } from './agent-client.ts';

const UNUSED_MS = 2 * 3600 * 1000;

/** One client a container, made when first asked for and kept while the container lives. */
export class AgentClients {
  readonly #backend: ContainerBackend;
  readonly #secret: InstallationSecret;
  readonly #clients = new Map<ContainerId, { client: AgentClient; askedAt: number }>();

  constructor(backend: ContainerBackend, secret: InstallationSecret) {
    this.#backend = backend;
    this.#secret = secret;
  }

  of(container: ContainerId): AgentClient {
    const askedAt = performance.now();
    const known = this.#clients.get(container);
    if (known !== undefined) {
      known.askedAt = askedAt;
      return known.client;
    }
    this.#dropUnused(askedAt);
    const client = new AgentClient(
      () => this.#backend.endpoint(container, 'agent'),
      this.#secret.agentToken(container),
    );
    this.#clients.set(container, { client, askedAt });
    return client;
  }

  forget(container: ContainerId): void {
    this.#clients.get(container)?.client.close();
    this.#clients.delete(container);
  }

  /** Of containers that another instance ended nobody tells. What still runs over their connections goes on. */
  #dropUnused(now: number): void {
    for (const [container, { askedAt }] of this.#clients) {
      if (now - askedAt > UNUSED_MS) this.#clients.delete(container);
    }
  }

  close(): void {
    for (const container of [...this.#clients.keys()]) this.forget(container);
  }
}
