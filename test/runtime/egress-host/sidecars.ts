import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Endpoint } from '../../../runtime/containers/container-backend.ts';
import type { SigningRule } from '../../../runtime/contracts/egress.ts';
import { BerthError } from '../../../runtime/contracts/errors.ts';
import type { ContainerId } from '../../../runtime/contracts/ids.ts';
import { type AdminOffers, createAdminServer } from '../../../runtime/egress/admin/admin-server.ts';
import { gateCommands } from '../../../runtime/egress/admin/gate-commands.ts';
import { ReplayGuard } from '../../../runtime/egress/admin/replay-guard.ts';
import { AdminSeal } from '../../../runtime/egress/admin/sealed-message.ts';
import { Gate } from '../../../runtime/egress/gate.ts';
import { EgressRules } from '../../../runtime/egress-host/egress-rules.ts';
import type { EgressService } from '../../../runtime/egress-host/egress-service.ts';
import { ConversationEgressSettings } from '../../../runtime/egress-host/egress-settings.ts';
import { EgressTotals } from '../../../runtime/egress-host/egress-totals.ts';
import { SidecarEgress } from '../../../runtime/egress-host/sidecar-egress.ts';
import { InstallationSecret } from '../../../runtime/identity/installation-secret.ts';
import { DirectoryObjectStore } from '../../../runtime/objects/directory/directory-object-store.ts';
import { openMemoryState } from '../../../runtime/state/memory/open-memory-state.ts';

export const OPERATOR = {
  allowedDomains: ['operator.example'],
  ceiling: ['operator.example', '.tenant.example'],
  anthropic: { base_url: 'https://api.example', api_key: 'canary-of-the-operator' },
};

export interface Sidecar {
  gate: Gate;
  port: number;
  /** What it was asked, as `METHOD /path`. */
  asked: string[];
  /** Before it is answered: resolves to true where the connection is to be cut instead. */
  before: (request: string) => Promise<boolean> | boolean;
}

/** An installation whose containers have proxies beside them: their admin sides, at ports of this machine. */
export class Sidecars implements AsyncDisposable {
  readonly secret = new InstallationSecret(randomBytes(32));
  readonly state = openMemoryState();
  readonly rules: EgressRules;
  readonly settings: ConversationEgressSettings;
  readonly endpoints = new Map<ContainerId, Endpoint>();
  /** What models are called with, as the runtime has it now. */
  signing: SigningRule | null = null;
  readonly #folder: string;
  readonly #objects: DirectoryObjectStore;
  readonly #servers: Server[] = [];

  private constructor(folder: string, objects: DirectoryObjectStore) {
    this.#folder = folder;
    this.#objects = objects;
    const { secret, state } = this;
    this.settings = new ConversationEgressSettings({ copies: state.egressSettings, objects, secret });
    this.rules = new EgressRules(OPERATOR, this.settings, () => this.signing);
  }

  static async open(): Promise<Sidecars> {
    const folder = mkdtempSync(join(tmpdir(), 'berth-sidecars-'));
    return new Sidecars(folder, await DirectoryObjectStore.open(folder));
  }

  /** The proxy beside a container; one that is started again knows no rules and has counted nothing. */
  async start(container: ContainerId, key = this.secret.proxyAdminKey(container)): Promise<Sidecar> {
    const gate = new Gate(container, () => {});
    const asked: string[] = [];
    const sidecar: Sidecar = { gate, port: 0, asked, before: () => false };
    sidecar.port = await this.serve(gateCommands(gate), key, async (request) => {
      asked.push(request);
      return sidecar.before(request);
    });
    this.endpoints.set(container, { kind: 'address', host: '127.0.0.1', port: sidecar.port });
    return sidecar;
  }

  /** The admin side of a proxy, at the port that is returned. */
  async serve(
    offers: AdminOffers,
    key: string,
    before: (request: string) => Promise<boolean> | boolean = () => false,
  ): Promise<number> {
    const server = createAdminServer(new AdminSeal(key), new ReplayGuard(0), offers);
    const [answer] = server.listeners('request');
    server.removeAllListeners('request').on('request', async (request, response) => {
      if (await before(`${request.method} ${request.url}`)) request.socket.destroy();
      else answer?.(request, response);
    });
    return this.listen(server);
  }

  async listen(server: Server): Promise<number> {
    this.#servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port; // it listens on TCP
  }

  /** What one instance of the runtime has. */
  egress(options: { service?: EgressService; totals?: EgressTotals } = {}): SidecarEgress {
    const { secret, rules, state } = this;
    return new SidecarEgress({
      backend: { endpoint: async (container) => this.#endpoint(container) },
      secret,
      rules,
      totals: options.totals ?? new EgressTotals(),
      service: options.service,
      now: () => state.conversations.now(),
    });
  }

  #endpoint(container: ContainerId): Endpoint {
    const found = this.endpoints.get(container);
    if (found === undefined)
      throw new BerthError('CONTAINER_NOT_FOUND', `there is no container ${container}`);
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) {
      server.closeAllConnections();
      server.close();
    }
    await this.#objects.close();
    rmSync(this.#folder, { recursive: true });
  }
}
