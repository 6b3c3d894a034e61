import { setTimeout as sleep } from 'node:timers/promises';
import { AgentClient } from '../agent-client/agent-client.ts';
import { AgentMisbehaved, AgentUnreachable } from '../agent-client/agent-failures.ts';
import { proveAgent } from '../agent-client/agent-proof.ts';
import type { ContainerBackend, ContainerView } from '../containers/container-backend.ts';
import type { AgentHealth } from '../contracts/agent-protocol.ts';
import { BerthError, isBerthError } from '../contracts/errors.ts';
import { type ContainerId, type ExecutionId, parseExecutionId } from '../contracts/ids.ts';
import type { InstallationSecret } from '../identity/installation-secret.ts';
import type { Ticket } from '../identity/ticket.ts';

/**
 * An agent that does not answer is asked this often, a health check's second and a pause each time, so for about 10 s:
 * its machine may be busy, and giving it up ends it.
 */
const ASKS = 5;
const BETWEEN_ASKS_MS = 1000;

/** Why a container is not believed to be any conversation's. */
export type Doubt =
  | 'not-running'
  | 'silent'
  /** Whoever answers does not know the container's token, or speaks no protocol of ours. */
  | 'unproven'
  | 'other-protocol'
  | 'no-ticket'
  /** Not sealed by this installation. */
  | 'forged-ticket'
  /** Sealed by us, for another container. */
  | 'foreign-ticket';

/** What a container shows for itself. Only a sealed ticket that names this very container counts. */
export type Testimony =
  | { kind: 'ticket'; ticket: Ticket; executions: ExecutionId[] }
  | { kind: 'none'; why: Doubt };

/** Asks containers whose they are. */
export class Inquiry {
  readonly #backend: ContainerBackend;
  readonly #secret: InstallationSecret;

  constructor(backend: ContainerBackend, secret: InstallationSecret) {
    this.#backend = backend;
    this.#secret = secret;
  }

  async ask(container: ContainerView): Promise<Testimony> {
    if (container.state !== 'running') return { kind: 'none', why: 'not-running' };
    for (let asked = 1; ; asked += 1) {
      try {
        return judge(await this.health(container.id), container.id, this.#secret);
      } catch (error) {
        const why = doubt(error);
        if (why !== 'silent' || asked === ASKS) return { kind: 'none', why };
        await sleep(BETWEEN_ASKS_MS);
      }
    }
  }

  /** One proven health check, over a connection of its own: containers of all instances are asked, and none is kept. */
  async health(container: ContainerId): Promise<AgentHealth> {
    const client = new AgentClient(
      () => this.#backend.endpoint(container, 'agent'),
      this.#secret.agentToken(container),
    );
    try {
      return await proveAgent(client, container, this.#secret);
    } finally {
      client.close();
    }
  }
}

/** The testimony of an agent that has proved itself. */
export function judge(health: AgentHealth, container: ContainerId, secret: InstallationSecret): Testimony {
  if (health.ticket === null) return { kind: 'none', why: 'no-ticket' };
  const ticket = secret.openTicket(health.ticket);
  if (ticket === undefined) return { kind: 'none', why: 'forged-ticket' };
  if (ticket.container_id !== container) return { kind: 'none', why: 'foreign-ticket' };
  return {
    kind: 'ticket',
    ticket,
    executions: health.executions.flatMap((id) => parseExecutionId(id) ?? []),
  };
}

function doubt(error: unknown): Doubt {
  if (error instanceof AgentMisbehaved) return 'unproven';
  if (isBerthError(error, 'HEALTH_CHECK_FAILED')) return 'other-protocol';
  // An agent that refuses a health check is in trouble, as is one that says nothing.
  if (error instanceof AgentUnreachable || error instanceof BerthError) return 'silent';
  throw error;
}
