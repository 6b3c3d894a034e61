import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type { ApiKey } from '../../access/api-key.ts';
import type { KeyRing } from '../../access/key-ring.ts';
import { BerthError, isBerthError } from '../../contracts/errors.ts';
import type { TenantId, WorkspaceId } from '../../contracts/ids.ts';
import type { ProxyWrites } from '../../database/workspaces.ts';
import type { InstallationSecret } from '../../identity/installation-secret.ts';
import type { ActivityStore } from '../../state/activity-store.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { WorkspaceDirectory } from '../../workspaces/running-workspace.ts';
import { hasBody, letPass } from '../request-body.ts';
import { requestIdOf } from '../request-id.ts';
import { admit, bearerOf } from './admission.ts';
import { clientFacts, TrustedProxies } from './client-facts.ts';
import { failVisit } from './fail-visit.ts';
import { observeVisit } from './observe-visit.ts';
import { OpenConnections } from './open-connections.ts';
import { OwnPaths } from './own-paths.ts';
import { Passage } from './passage.ts';
import { refuseAmbiguous } from './request-headers.ts';
import { refuseForeign } from './same-origin.ts';
import { Sessions } from './sessions.ts';
import { Upstreams } from './upstreams.ts';
import type { Visit } from './visit.ts';
import { Wakes } from './wakes.ts';
import { OWN_PATHS, WorkspaceAddresses } from './workspace-address.ts';

const LOOK_MS = 30_000;
const LINGER_MS = 5_000;

interface Settings {
  /** `WORKSPACE_DOMAIN`. */
  domain: string | undefined;
  /** `PUBLIC_URL`, or where the service listens once it does. */
  base: () => string;
  /** Why there are no workspaces below `/w/`, see `pathsRefusal`. */
  pathsRefusal: () => string | undefined;
  trustedProxies: readonly string[];
  /** How long a workspace without a value of its own is left running after its last connection. */
  standbySeconds: number;
  /** Longest that a request is held for a workspace that is being woken. */
  wakeSeconds: number;
  /** Other than the usual ones in tests only. */
  lingerMs?: number;
  lookMs?: number;
  now?: () => number;
}

interface Parts {
  directory: WorkspaceDirectory;
  activity: Pick<ActivityStore, 'connect' | 'beat' | 'disconnect' | 'useOnce' | 'hint'>;
  writes: Pick<ProxyWrites, 'connected' | 'accessed'>;
  /** A user's word that what failed is tried again. */
  retry: (tenant: TenantId, id: WorkspaceId) => Promise<unknown>;
  ring: KeyRing;
  secret: Pick<InstallationSecret, 'sealSession' | 'openSession'>;
  metrics: Pick<Metrics, 'proxiedRequests' | 'proxiedConnections'>;
  settings: Settings;
  log: Logger;
}

/** Passes requests and WebSockets to workspaces, for those who may enter. */
export class WorkspaceProxy {
  readonly #parts: Parts;
  readonly #addresses: WorkspaceAddresses;
  readonly #proxies: TrustedProxies;
  readonly #sessions: Sessions;
  readonly #own: OwnPaths;
  readonly #connections: OpenConnections;
  readonly #upstreams = new Upstreams();
  readonly #wakes: Wakes;
  readonly #passage: Passage;
  readonly #looking: NodeJS.Timeout;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { directory, activity, writes, ring, secret, settings, log } = parts;
    const { domain, base, pathsRefusal, now = Date.now } = settings;
    this.#addresses = new WorkspaceAddresses({ domain, base, refusal: pathsRefusal });
    this.#proxies = new TrustedProxies(settings.trustedProxies);
    this.#sessions = new Sessions({ secret, ring, activity, now });
    this.#own = new OwnPaths({ directory, sessions: this.#sessions, retry: parts.retry });
    this.#wakes = new Wakes({ directory, seconds: settings.wakeSeconds });
    const lingerMs = settings.lingerMs ?? LINGER_MS;
    this.#connections = new OpenConnections({ activity, writes, lingerMs, log });
    this.#passage = new Passage({
      ...{ directory, ring, wakes: this.#wakes, upstreams: this.#upstreams, connections: this.#connections },
      ...{ sessions: this.#sessions, standbySeconds: settings.standbySeconds },
    });
    this.#looking = setInterval(() => void this.#endOld(), settings.lookMs ?? LOOK_MS).unref();
  }

  /** Where a workspace is reached; ends with a slash. */
  urlOf(id: WorkspaceId): string {
    return this.#addresses.urlOf(id);
  }

  /** A link that opens it in a browser, once. Throws `NOT_SUPPORTED` where workspaces can't be reached. */
  link(id: WorkspaceId, key: ApiKey): { url: string; expiresAt: Date } {
    this.#addresses.require();
    const { token, expiresAt } = this.#sessions.token(id, key);
    return { url: `${this.urlOf(id)}${OWN_PATHS.slice(1)}session?token=${token}`, expiresAt };
  }

  /** Whether a request is to a workspace. */
  takes(request: IncomingMessage): boolean {
    return this.#addresses.of({ host: request.headers.host, url: request.url }) !== undefined;
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const visit = this.#visit(request, response, 'request');
    void this.#serve(visit, (admitted) => this.#passage.request(visit, admitted));
  }

  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    const socket = stream as Socket; // Node's server hands out its sockets
    socket.on('error', () => socket.destroy());
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => socket.destroySoon());
    const visit = this.#visit(request, response, 'websocket');
    void this.#serve(visit, (admitted) => this.#passage.webSocket(visit, admitted, socket, head));
  }

  /** Ends what is open, and says so to the store. */
  async close(): Promise<void> {
    clearInterval(this.#looking);
    this.#wakes.close();
    this.#upstreams.close();
    await this.#connections.close();
  }

  #visit(request: IncomingMessage, response: ServerResponse, kind: Visit['kind']): Visit {
    const address = this.#addresses.of({ host: request.headers.host, url: request.url });
    if (address === undefined) throw new Error('the request is for the API'); // `takes` was asked before
    const visit: Visit = {
      ...{ request, response, kind, address, requestId: requestIdOf(request) },
      facts: clientFacts(request, this.#proxies, this.#addresses.protocol),
      bearer: bearerOf(request, this.#parts.ring),
    };
    observeVisit(visit, this.#parts);
    return visit;
  }

  async #serve(visit: Visit, pass: (admitted: ReturnType<typeof admit>) => Promise<void>): Promise<void> {
    const { request, address, bearer } = visit;
    try {
      refuseAmbiguous(request);
      this.#addresses.require();
      if (address.id !== undefined && address.path === '') return addSlash(visit);
      if (this.#own.isExchange(visit)) return await this.#own.exchange(visit);
      const admitted = admit(request, address.id, bearer, this.#sessions);
      visit.key = admitted.key;
      if (admitted.session !== undefined) refuseForeign(visit, this.#addresses);
      const row = address.id === undefined ? undefined : await this.#parts.directory.find(address.id);
      // Another tenant's, and one that there is not, are the same to whoever asks.
      if (row === undefined || row.tenant !== admitted.key.tenant)
        throw new BerthError('WORKSPACE_NOT_FOUND', 'there is no such workspace');
      visit.row = row;
      if (this.#own.has(visit)) return await this.#own.serve(visit, row);
      if (row.deleteRequestedAt !== null)
        throw new BerthError('WORKSPACE_DELETING', `${row.id} is being deleted`);
      await pass(admitted);
    } catch (error) {
      // A container that has ended is seen, and started again, sooner than at the monitor's own time.
      if (isBerthError(error, 'WORKSPACE_NOT_ANSWERING')) this.#parts.activity.hint();
      failVisit(visit, error, this.#parts.log);
    }
    if (visit.passed !== true && !request.complete && hasBody(request)) letPass(request);
  }

  /** Connections to containers that are gone may not have noticed. */
  async #endOld(): Promise<void> {
    for (const id of this.#upstreams.workspaces()) {
      try {
        const row = await this.#parts.directory.find(id);
        this.#upstreams.keepOnly(id, row?.observedIncarnation ?? null);
      } catch (error) {
        this.#parts.log.debug(
          { err: error },
          'it could not be looked which containers of workspaces are gone',
        );
        return;
      }
    }
  }
}

/** A page's own links, and its cookie, are below the slash. */
function addSlash({ request, response, address: { prefix } }: Visit): void {
  response.statusCode = 307;
  response.setHeader('Location', `${prefix}/${request.url?.slice(prefix.length) ?? ''}`);
  response.setHeader('Content-Length', 0);
  response.end();
}
