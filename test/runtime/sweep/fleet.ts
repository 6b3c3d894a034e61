import { randomBytes, randomUUID } from 'node:crypto';
import { type Logger, pino } from 'pino';
import { AgentClient } from '../../../runtime/agent-client/agent-client.ts';
import type { ContainerBackend } from '../../../runtime/containers/container-backend.ts';
import type { ConversationRecord } from '../../../runtime/contracts/conversation-record.ts';
import { type ContainerId, conversationContainerId } from '../../../runtime/contracts/ids.ts';
import { InstallationSecret } from '../../../runtime/identity/installation-secret.ts';
import type { Ticket } from '../../../runtime/identity/ticket.ts';
import type { State } from '../../../runtime/state/state.ts';
import { Adoption } from '../../../runtime/sweep/adoption.ts';
import { ConversationOwner } from '../../../runtime/sweep/conversation-owner.ts';
import { Reconcile } from '../../../runtime/sweep/reconcile.ts';
import { Inquiry } from '../../../runtime/sweep/testimony.ts';
import { containerSpec } from '../../contract/container-backend/specs.ts';
import { TestFolder } from '../../contract/container-backend/test-folder.ts';
import { conversation, tenant } from '../../contract/state/names.ts';
import type { FleetHome } from './fleet-place.ts';

const never = new AbortController().signal;

export const SETTINGS = {
  ttl: { idleSeconds: 3600, maxLifetimeSeconds: 7200 },
  executionTimeout: 600,
};

export const GRACE_SECONDS = 60;

/** When a container was claimed, unless a test says otherwise. */
export const CLAIMED_AT = Date.now();

interface FleetOptions {
  state: State;
  home: FleetHome;
  /** What ends an orphan; the backend and the store do, unless said. */
  destroy?: (container: ContainerId) => Promise<void>;
}

/** Real containers of an installation of their own, with the agents and tickets that a runtime would have given them. */
export class Fleet implements AsyncDisposable {
  readonly secret = new InstallationSecret(randomBytes(32));
  readonly state: State;
  readonly backend: ContainerBackend;
  readonly inquiry: Inquiry;
  /** What was counted, as `action: reason`. */
  readonly actions: string[] = [];
  readonly lost: ConversationRecord[] = [];
  readonly alarms: string[] = [];
  breakerIsOpen = false;
  readonly #folder = new TestFolder();
  readonly #image: string;
  readonly #destroy: (container: ContainerId) => Promise<void>;
  readonly #log: Logger;

  constructor(options: FleetOptions) {
    this.state = options.state;
    this.#image = options.home.image;
    const installation = `sweep-${randomBytes(4).toString('hex')}`;
    this.backend = options.home.open({ installation, folder: this.#folder.path });
    this.inquiry = new Inquiry(this.backend, this.secret);
    this.#destroy = options.destroy ?? ((container) => this.end(container));
    this.#log = pino(
      { level: 'error' },
      { write: (line: string) => this.alarms.push(String(JSON.parse(line).msg)) },
    );
  }

  newId(): ContainerId {
    return conversationContainerId(randomUUID());
  }

  /** A running container, with this in place of a ticket. */
  async container(
    options: { ticket?: Partial<Ticket> | string; token?: string; env?: Record<string, string> } = {},
  ): Promise<ContainerId> {
    const id = this.newId();
    const token = options.token ?? this.secret.agentToken(id);
    const env = { AGENT_TOKEN: token, ...options.env };
    await this.backend.create(containerSpec(this.#image, { id, env }));
    const { ticket } = options;
    if (ticket === undefined) return id;
    const client = new AgentClient(() => this.backend.endpoint(id, 'agent'), token);
    const sealed = typeof ticket === 'string' ? ticket : this.ticket(id, ticket);
    await client.assign({ ticket: sealed }, never);
    client.close();
    return id;
  }

  /** One that belongs to this conversation. */
  of(name: string, claimedAt = CLAIMED_AT): Promise<ContainerId> {
    return this.container({ ticket: { conversation_id: conversation(name), claimed_at: claimedAt } });
  }

  ticket(container: ContainerId, fields: Partial<Ticket> = {}): string {
    return this.secret.sealTicket({
      container_id: container,
      tenant_id: tenant('acme'),
      conversation_id: conversation('c1'),
      claimed_at: CLAIMED_AT,
      restored_version: null,
      ...fields,
    });
  }

  /** A live record, whatever runs in its name. */
  async record(name: string, container: ContainerId, claimedAt = CLAIMED_AT): Promise<void> {
    await this.state.adoption.adopt({
      tenant: tenant('acme'),
      conversation: conversation(name),
      container,
      manager: this.backend.kind,
      createdAt: claimedAt,
      claimedAt,
      savedVersion: null,
      executions: [],
      executionSeconds: SETTINGS.executionTimeout,
      ttl: SETTINGS.ttl,
    });
  }

  async recordOf(name: string): Promise<ConversationRecord | undefined> {
    return this.state.conversations.get(tenant('acme'), conversation(name));
  }

  async listed(): Promise<ContainerId[]> {
    return (await this.backend.list('conversation')).map(({ id }) => id).toSorted();
  }

  async end(container: ContainerId): Promise<void> {
    await this.backend.destroy(container);
    await this.state.conversations.release(container);
  }

  adoption(instance = 'one'): Adoption {
    return new Adoption({
      ...this.#parts(),
      store: this.state.adoption,
      leases: this.state.leases,
      instance,
    });
  }

  reconcile(instance = 'one'): Reconcile {
    return new Reconcile({
      ...this.#parts(),
      owners: [this.owner(instance)],
      leases: this.state.leases,
      instance,
      graceSeconds: GRACE_SECONDS,
      onBreaker: (open) => {
        this.breakerIsOpen = open;
      },
    });
  }

  owner(instance = 'one'): ConversationOwner {
    return new ConversationOwner({
      ...this.#parts(),
      state: this.state,
      adoption: this.adoption(instance),
      destroy: this.#destroy,
      onLost: async (record) => {
        this.lost.push(record);
      },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const left = await this.backend.list('conversation');
    await Promise.all(left.map(({ id }) => this.backend.destroy(id)));
    await this.backend.close();
    this.#folder.remove();
  }

  #parts() {
    return {
      backend: this.backend,
      inquiry: this.inquiry,
      settings: { backend: this.backend.kind, ...SETTINGS },
      log: this.#log,
      onAction: (action: string, reason: string) => {
        this.actions.push(`${action}: ${reason}`);
      },
    };
  }
}
