import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { AgentClients } from '../agent-client/agent-clients.ts';
import { AgentMisbehaved, AgentUnreachable } from '../agent-client/agent-failures.ts';
import type { ContainerBackend, ContainerView } from '../containers/container-backend.ts';
import type { ConversationRecord } from '../contracts/conversation-record.ts';
import { BerthError } from '../contracts/errors.ts';
import type { ContainerId } from '../contracts/ids.ts';
import type { InstallationSecret } from '../identity/installation-secret.ts';
import type { ConversationStore } from '../state/conversation-store.ts';
import { carriesTicketOf, proveAgent } from './agent-proof.ts';
import { deleting } from './container-acquisition.ts';
import type { ContainerEnding } from './container-ending.ts';

const PROOFS = 3;
const LOOKS = 6;
const BETWEEN_LOOKS_MS = 200;

interface Parts {
  store: ConversationStore;
  backend: ContainerBackend;
  agents: AgentClients;
  secret: InstallationSecret;
  ending: ContainerEnding;
  log: Logger;
  onCrash: () => void;
}

/** Finds out why an agent failed its caller, and ends the container unless it proves to be well. */
export class CrashRecovery {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async recover(
    record: ConversationRecord,
    failure: AgentUnreachable | AgentMisbehaved,
  ): Promise<BerthError> {
    const { store, agents, ending, log, onCrash } = this.#parts;
    // A store that is away must not hide what happened to the container.
    const current = await store.get(record.tenant, record.conversation).catch(() => record);
    if (current?.container !== record.container || current.drainReason === 'deleted') {
      agents.forget(record.container);
      return deleting(record);
    }
    if (!(failure instanceof AgentMisbehaved) && (await this.#isWell(record))) {
      return new BerthError(
        'CONTAINER_CRASHED',
        'the connection to the container broke; the container lives on',
      );
    }
    const detail = await this.#lastWords(record, failure);
    onCrash();
    log.warn({ container_id: record.container, tenant: record.tenant, detail }, 'a container crashed');
    // What can't be ended now stays a reserved place, which is taken up again when due.
    await ending
      .end(record, 0)
      .catch((error) =>
        log.warn(
          { err: error, container_id: record.container },
          'a crashed container could not be ended yet',
        ),
      );
    return new BerthError(
      'CONTAINER_CRASHED',
      `${detail}; the next call gets a fresh container`,
      {},
      failure,
    );
  }

  /** One that takes the connection but is slow to answer is asked again: a busy machine is no crash. */
  async #isWell(record: ConversationRecord): Promise<boolean> {
    const { agents, secret } = this.#parts;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return carriesTicketOf(
          await proveAgent(agents.of(record.container), record.container, secret),
          record,
          secret,
        );
      } catch (error) {
        const slow = error instanceof AgentUnreachable && error.mayHaveArrived;
        if (!slow || attempt === PROOFS) return false;
      }
    }
  }

  /** A container that is just dying has no exit code yet: it gets a second to have one. */
  async #lastLook(container: ContainerId): Promise<ContainerView | undefined> {
    for (let looks = 1; ; looks += 1) {
      const seen = await this.#parts.backend.inspect(container);
      if (seen?.state !== 'running' || looks === LOOKS) return seen;
      await sleep(BETWEEN_LOOKS_MS);
    }
  }

  async #lastWords(record: ConversationRecord, failure: Error): Promise<string> {
    const seen = await this.#lastLook(record.container).catch(() => undefined);
    return failure instanceof AgentMisbehaved ? failure.message : describe(seen, failure);
  }
}

function describe(seen: ContainerView | undefined, failure: Error): string {
  if (seen === undefined) return 'the container is gone';
  if (seen.exit?.oomKilled === true) return 'the container ran out of memory';
  if (seen.exit !== undefined) return `the container ended with exit code ${seen.exit.code}`;
  return failure.message;
}
