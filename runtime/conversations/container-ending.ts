import type { Logger } from 'pino';
import type { AgentClients } from '../agent-client/agent-clients.ts';
import type { ContainerBackend } from '../containers/container-backend.ts';
import type { ContainerId } from '../contracts/ids.ts';
import type { ContainerEgress } from '../egress-host/container-egress.ts';
import type { Checkpoint } from '../lifecycle/checkpoint.ts';
import type { ConversationStore, Incarnation } from '../state/conversation-store.ts';
import { STOP_SECONDS } from './conversation-settings.ts';

interface Parts {
  store: ConversationStore;
  backend: ContainerBackend;
  agents: AgentClients;
  egress: ContainerEgress;
  checkpoint: Checkpoint;
  log: Logger;
  /** What this instance does beside a container (watching its files) ends with it. */
  onEnding: (container: ContainerId) => void;
}

/** Ends containers: forget the record, destroy, free the place, in this order, so that a crash between leaks nothing. */
export class ContainerEnding {
  readonly #parts: Parts;
  readonly #behind = new Set<Promise<void>>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The place stays reserved until the backend has let go: a failed destroy is taken up again when due. */
  async end(incarnation: Incarnation, stopSeconds = STOP_SECONDS): Promise<void> {
    const { store, checkpoint } = this.#parts;
    const { tenant, conversation, container } = incarnation;
    await store.remove({ tenant, conversation, container, stopSeconds });
    await checkpoint('end.forgotten');
    await this.destroy(container, stopSeconds);
  }

  /**
   * A container that no record names. Where the backend takes its time nobody waits for it: the place stays taken
   * meanwhile, and `over` tells the end.
   */
  async destroy(container: ContainerId, stopSeconds: number): Promise<void> {
    const { backend, log, onEnding, agents } = this.#parts;
    onEnding(container);
    agents.forget(container);
    const ended = this.#destroy(container, stopSeconds);
    if (backend.capabilities.endsSlowly !== true) return ended;
    const behind = ended
      .catch((error) =>
        log.warn({ err: error, container_id: container }, 'a container could not be ended yet'),
      )
      .finally(() => this.#behind.delete(behind));
    this.#behind.add(behind);
  }

  /** Resolves once all that is being ended has ended, or could not be. */
  async over(): Promise<void> {
    await Promise.all(this.#behind);
  }

  async #destroy(container: ContainerId, stopSeconds: number): Promise<void> {
    const { store, backend, agents, egress, checkpoint } = this.#parts;
    await backend.destroy(container, { stopSeconds });
    await egress.stop(container);
    agents.forget(container); // a call may have dialled it meanwhile
    await checkpoint('end.destroyed');
    await store.release(container);
    await checkpoint('end.released');
  }
}
