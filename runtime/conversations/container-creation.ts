import type { AgentClients } from '../agent-client/agent-clients.ts';
import { awaitAgent } from '../agent-client/agent-proof.ts';
import type { ContainerBackend } from '../containers/container-backend.ts';
import type { ContainerId } from '../contracts/ids.ts';
import type { InstallationSecret } from '../identity/installation-secret.ts';
import { conversationContainer, type KnownOwner } from './conversation-container.ts';
import type { ConversationSettings } from './conversation-settings.ts';

interface Parts {
  backend: ContainerBackend;
  agents: AgentClients;
  secret: InstallationSecret;
  /** For the egress proxy beside it, on backends where it has one. */
  proxyEnv: (container: ContainerId) => Record<string, string>;
  settings: ConversationSettings;
  /** Throws while the image is not there. */
  images: { require(): void };
  onStarted: (seconds: number) => void;
}

/** Creates containers for conversations, known or to come. */
export class ContainerCreation {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async create(container: ContainerId, owner: KnownOwner | undefined, signal: AbortSignal): Promise<void> {
    const { backend, secret, proxyEnv, settings, images, onStarted } = this.#parts;
    const started = performance.now();
    images.require();
    const spec = conversationContainer(
      container,
      owner,
      { agentToken: secret.agentToken(container), proxyEnv: proxyEnv(container) },
      settings,
    );
    await backend.create(spec, signal);
    onStarted((performance.now() - started) / 1000);
  }

  /** That its agent is this very container's, and nobody's yet. */
  async prove(container: ContainerId, signal: AbortSignal): Promise<void> {
    const { agents, secret } = this.#parts;
    await awaitAgent(agents.of(container), container, secret, signal);
  }
}
