import type { AgentClients } from '../agent-client/agent-clients.ts';
import type { ContainerBackend } from '../containers/container-backend.ts';
import type { ConversationRecord } from '../contracts/conversation-record.ts';
import type { ContainerId } from '../contracts/ids.ts';
import type { ConversationStore, Incarnation } from '../state/conversation-store.ts';
import { STOP_SECONDS } from './conversation-settings.ts';

/** Ends containers: forget the record, destroy, free the place, in this order, so that a crash between leaks nothing. */
export class ContainerEnding {
  readonly #store: ConversationStore;
  readonly #backend: ContainerBackend;
  readonly #agents: AgentClients;

  constructor(store: ConversationStore, backend: ContainerBackend, agents: AgentClients) {
    this.#store = store;
    this.#backend = backend;
    this.#agents = agents;
  }

  /** The place stays reserved until the backend has let go: a failed destroy is taken up again when due. */
  async end(incarnation: Incarnation, stopSeconds = STOP_SECONDS): Promise<void> {
    await this.#store.remove({ ...incarnation, stopSeconds });
    await this.destroy(incarnation.container, stopSeconds);
  }

  /** Ends it if nothing is in flight on it and nothing was done since the record was read; else it stays. */
  async retire(record: ConversationRecord): Promise<void> {
    const leaseSeconds = 2 * STOP_SECONDS;
    const drained = await this.#store.beginDrain({
      ...record,
      onlyIdle: true,
      reason: 'expired',
      leaseSeconds,
    });
    if (drained === 'done') await this.end(record);
  }

  /** A container that no record names. */
  async destroy(container: ContainerId, stopSeconds: number): Promise<void> {
    this.#agents.forget(container);
    await this.#backend.destroy(container, { stopSeconds });
    this.#agents.forget(container); // a call may have dialled it meanwhile
    await this.#store.release(container);
  }
}
