import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { AgentClients } from '../agent-client/agent-clients.ts';
import { AgentMisbehaved, AgentUnreachable } from '../agent-client/agent-failures.ts';
import { carriesTicketOf, proveAgent } from '../agent-client/agent-proof.ts';
import type { ContainerBackend, ContainerView } from '../containers/container-backend.ts';
import { BerthError } from '../contracts/errors.ts';
import type { ContainerId } from '../contracts/ids.ts';
import type { InstallationSecret } from '../identity/installation-secret.ts';
import type { ConversationStore, Incarnation } from '../state/conversation-store.ts';
import { deleting, isDeleted } from './being-deleted.ts';
import type { ContainerEnding } from './container-ending.ts';
import { planRecovery, type ReplaceReason, type Trouble } from './plan-recovery.ts';

/** Each a second: one whose sandbox takes all of its processor for a moment is slow, not gone. */
const PROOFS = 8;
const LOOKS = 6;
const BETWEEN_LOOKS_MS = 200;

interface Parts {
  store: ConversationStore;
  backend: ContainerBackend;
  agents: AgentClients;
  secret: InstallationSecret;
  ending: ContainerEnding;
  log: Logger;
  onCrash: (reason: ReplaceReason) => void;
}

export type Diagnosis =
  /** The container lives on. */
  | { kind: 'well' }
  /** Its user is deleting the conversation. */
  | { kind: 'deleted' }
  /** Somebody ended it: the conversation has another container by now, or none. */
  | { kind: 'ended' }
  | { kind: 'lost'; reason: ReplaceReason; detail: string };

/** Finds out why an agent failed its caller, and ends the container unless it proves to be well. */
export class CrashRecovery {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** For work that can't be taken up again: the problem its caller is told. */
  async recover(container: Incarnation, failure: AgentUnreachable | AgentMisbehaved): Promise<BerthError> {
    const diagnosis = await this.diagnose(container, failure);
    switch (diagnosis.kind) {
      case 'deleted':
        return deleting(container);
      case 'ended':
        return new BerthError(
          'CONTAINER_CRASHED',
          'the container has been ended meanwhile; the next call gets a fresh one',
          {},
          failure,
        );
      case 'well':
        return new BerthError(
          'CONTAINER_CRASHED',
          'the connection to the container broke; the container lives on',
        );
      case 'lost':
        await this.bury(container, diagnosis);
        return new BerthError(
          'CONTAINER_CRASHED',
          `${diagnosis.detail}; the next call gets a fresh container`,
          {},
          failure,
        );
    }
  }

  async diagnose(container: Incarnation, failure: Error): Promise<Diagnosis> {
    const { store, agents } = this.#parts;
    // A store that is away must not hide what happened to the container.
    const current = await store.get(container.tenant, container.conversation).catch(() => 'unknown' as const);
    if (current !== 'unknown' && (current?.container !== container.container || isDeleted(current))) {
      agents.forget(container.container);
      return { kind: current?.container === container.container ? 'deleted' : 'ended' };
    }
    return this.examine(container, failure);
  }

  /** Looks at the container alone, whoever wants it ended. */
  async examine(container: Incarnation, failure: Error): Promise<Diagnosis> {
    const { backend } = this.#parts;
    const misbehaved = failure instanceof AgentMisbehaved;
    const agent = misbehaved ? 'foreign' : await this.#ask(container);
    const seen = agent === 'well' ? 'unknown' : await this.#lastLook(container.container);
    const trouble: Trouble = {
      backend: backend.kind,
      failure: misbehaved ? 'misbehaved' : 'unreachable',
      agent,
      container: seen,
    };
    const step = planRecovery(trouble);
    if (step.kind === 'reconnect') return { kind: 'well' };
    return { kind: 'lost', reason: step.reason, detail: describe(step.reason, seen, failure) };
  }

  /** Ends a lost container. What can't be ended now stays a reserved place, which is taken up again when due. */
  async bury(
    container: Incarnation,
    { reason, detail }: { reason: ReplaceReason; detail: string },
  ): Promise<void> {
    const { ending, log, onCrash } = this.#parts;
    const who = { container_id: container.container, tenant: container.tenant };
    onCrash(reason);
    log.warn({ ...who, reason, detail }, 'a container crashed');
    await ending
      .end(container, 0)
      .catch((error) => log.warn({ err: error, ...who }, 'a crashed container could not be ended yet'));
  }

  /** One that takes the connection but is slow to answer is asked again: a busy machine is no crash. */
  async #ask(container: Incarnation): Promise<Trouble['agent']> {
    const { agents, secret } = this.#parts;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const health = await proveAgent(agents.of(container.container), container.container, secret);
        return carriesTicketOf(health, container, secret) ? 'well' : 'foreign';
      } catch (error) {
        if (!(error instanceof AgentUnreachable)) return 'foreign';
        if (!error.mayHaveArrived || attempt === PROOFS) return 'silent';
      }
    }
  }

  /** A container that is just dying has no exit code yet: it gets a second to have one. */
  async #lastLook(container: ContainerId): Promise<ContainerView | 'absent' | 'unknown'> {
    try {
      for (let looks = 1; ; looks += 1) {
        const seen = await this.#parts.backend.inspect(container);
        if (seen === undefined) return 'absent';
        const isDying = seen.state === 'running' || (seen.state === 'exited' && seen.exit === undefined);
        if (!isDying || looks === LOOKS) return seen;
        await sleep(BETWEEN_LOOKS_MS);
      }
    } catch {
      return 'unknown'; // an engine that is away says nothing about the container
    }
  }
}

function describe(reason: ReplaceReason, seen: ContainerView | 'absent' | 'unknown', failure: Error): string {
  const exit = typeof seen === 'object' ? seen.exit : undefined;
  switch (reason) {
    case 'gone':
      return 'the container is gone';
    case 'out-of-memory':
      return 'the container ran out of memory';
    case 'exited':
      return exit === undefined ? 'the container ended' : `the container ended with exit code ${exit.code}`;
    default:
      return failure.message;
  }
}
