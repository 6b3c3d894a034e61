import type { Logger } from 'pino';
import type { AgentClients } from '../agent-client/agent-clients.ts';
import { AgentMisbehaved, AgentUnreachable } from '../agent-client/agent-failures.ts';
import type { ContainerBackend } from '../containers/container-backend.ts';
import type { ConversationRecord } from '../contracts/conversation-record.ts';
import { BerthError, isBerthError } from '../contracts/errors.ts';
import type { InstallationSecret } from '../identity/installation-secret.ts';
import type { ConversationStore, Fenced } from '../state/conversation-store.ts';
import { awaitAgent } from './agent-proof.ts';
import type { ContainerEnding } from './container-ending.ts';
import { conversationContainer } from './conversation-container.ts';
import { type ConversationSettings, PREPARATION_LEASE_SECONDS } from './conversation-settings.ts';
import { LeaseRenewal } from './lease-renewal.ts';

interface Parts {
  store: ConversationStore;
  backend: ContainerBackend;
  agents: AgentClients;
  secret: InstallationSecret;
  settings: ConversationSettings;
  ending: ContainerEnding;
  log: Logger;
  /** `require` throws while the image is not there; `lost` is told when it is missing after all. */
  images: { require(): void; lost(): void };
  onStarted: (seconds: number) => void;
}

/** Makes a reserved place into a `ready` container: create, bind, prove, assign, confirm. */
export class ContainerPreparation {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whatever fails, nothing of the container stays. */
  async prepare(record: ConversationRecord, owner: string, signal: AbortSignal): Promise<void> {
    const { store, ending, images, log } = this.#parts;
    const lease = { ...record, owner, leaseSeconds: PREPARATION_LEASE_SECONDS };
    const lost = new AbortController();
    using _renewal = new LeaseRenewal(
      PREPARATION_LEASE_SECONDS,
      () => store.renewPreparation(lease),
      () => lost.abort(tooLate()),
    );
    try {
      await this.#steps(record, lease, AbortSignal.any([signal, lost.signal]));
    } catch (error) {
      // What can't be ended now stays a reserved place, which is taken up again when due.
      await ending
        .end(record, 0)
        .catch((failure) =>
          log.warn(
            { err: failure, container_id: record.container },
            'a failed preparation could not be cleaned up yet',
          ),
        );
      if (isBerthError(error, 'IMAGE_PULL_FAILED')) images.lost();
      throw asProblem(error);
    }
  }

  async #steps(
    record: ConversationRecord,
    lease: { owner: string; leaseSeconds: number },
    signal: AbortSignal,
  ): Promise<void> {
    const { store, backend, agents, secret, settings, images, onStarted } = this.#parts;
    const started = performance.now();
    images.require();
    await backend.create(
      conversationContainer(record, secret.agentToken(record.container), settings),
      signal,
    );
    ours(await store.bind({ ...record, ...lease }));
    const agent = agents.of(record.container);
    await awaitAgent(agent, record.container, secret, signal);
    const ticket = secret.sealTicket({
      container_id: record.container,
      tenant_id: record.tenant,
      conversation_id: record.conversation,
      claimed_at: record.claimedAt,
      restored_version: null,
    });
    await agent.assign({ ticket }, signal);
    ours(await store.confirm({ ...record, ...lease, ttl: settings.ttl }));
    onStarted((performance.now() - started) / 1000);
  }
}

function ours(result: Fenced): void {
  if (result === 'stale') throw tooLate();
}

function tooLate(): BerthError {
  return new BerthError('START_TIMEOUT', 'the preparation took too long and was given up');
}

function asProblem(error: unknown): unknown {
  if (error instanceof AgentUnreachable || error instanceof AgentMisbehaved) {
    return new BerthError('HEALTH_CHECK_FAILED', error.message, {}, error);
  }
  return error;
}
