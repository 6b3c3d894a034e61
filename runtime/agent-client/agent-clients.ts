import type { ContainerBackend } from '../containers/container-backend.ts';
import type { ContainerId } from '../contracts/ids.ts';
import type { InstallationSecret } from '../identity/installation-secret.ts';
import { AgentClient } from './agent-client.ts';

/** One client a container, made when first asked for and kept while the container lives. */
export class AgentClients {
  readonly #backend: ContainerBackend;
  readonly #secret: InstallationSecret;
  readonly #clients = new Map<ContainerId, AgentClient>();

  constructor(backend: ContainerBackend, secret: InstallationSecret) {
    this.#backend = backend;
    this.#secret = secret;
  }

  of(container: ContainerId): AgentClient {
    const known = this.#clients.get(container);
    if (known !== undefined) return known;
    const client = new AgentClient(
      this.#backend.endpoint(container, 'agent'),
      this.#secret.agentToken(container),
    );
    this.#clients.set(container, client);
    return client;
  }

  forget(container: ContainerId): void {
    this.#clients.get(container)?.close();
    this.#clients.delete(container);
  }

  close(): void {
    for (const container of [...this.#clients.keys()]) this.forget(container);
  }
}
