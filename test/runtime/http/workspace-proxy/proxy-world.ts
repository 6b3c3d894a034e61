import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
  request,
  type Server,
} from 'node:http';
import { type AddressInfo, connect, type Server as NetServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { type ApiKey, hashApiKey } from '../../../../runtime/access/api-key.ts';
import { KeyRing } from '../../../../runtime/access/key-ring.ts';
import type { Endpoint } from '../../../../runtime/containers/container-backend.ts';
import { BerthError } from '../../../../runtime/contracts/errors.ts';
import {
  type ContainerId,
  type WorkspaceId,
  workspaceContainerId,
} from '../../../../runtime/contracts/ids.ts';
import type { WorkspaceState } from '../../../../runtime/database/workspace-row.ts';
import type { NewWorkspace } from '../../../../runtime/database/workspaces.ts';
import { createApp } from '../../../../runtime/http/app.ts';
import { HttpServer } from '../../../../runtime/http/server.ts';
import { WorkspaceProxy } from '../../../../runtime/http/workspace-proxy/workspace-proxy.ts';
import { InstallationSecret } from '../../../../runtime/identity/installation-secret.ts';
import type { ActivityStore } from '../../../../runtime/state/activity-store.ts';
import { MemoryActivityStore } from '../../../../runtime/state/memory/memory-activity-store.ts';
import { Metrics } from '../../../../runtime/telemetry/metrics.ts';
import { DatabaseDirectory } from '../../../../runtime/workspaces/workspace-directory.ts';
import { type DatabaseUnderTest, sqliteUnderTest } from '../../../contract/database/database-under-test.ts';
import {
  NO_LIMITS,
  tenant,
  WorkspaceScenario,
  workspace,
} from '../../../contract/database/workspace-scenario.ts';
import { must } from '../../../support/must.ts';

export const KEY = 'berth_of-acme';
export const BEARER = { authorization: `Bearer ${KEY}` };

export const keyOf = (secret: string, of: string): ApiKey => ({
  name: `${of}-key`,
  tenant: tenant(of),
  scope: 'use',
  sha256: hashApiKey(secret),
});

export const ACME = keyOf(KEY, 'acme');

type ProxySettings = ConstructorParameters<typeof WorkspaceProxy>[0]['settings'];

interface Options {
  settings?: Partial<ProxySettings>;
  activity?: ActivityStore;
  keys?: ApiKey[];
  limits?: { all: number; ofKey: number };
}

export interface Browsed {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** A proxy on a real server, over a real directory; containers are servers of this process. */
export class ProxyWorld implements AsyncDisposable {
  readonly under: DatabaseUnderTest;
  readonly scenario: WorkspaceScenario;
  readonly activity: ActivityStore;
  readonly directory: DatabaseDirectory;
  readonly proxy: WorkspaceProxy;
  readonly ring: KeyRing;
  readonly log: Record<string, unknown>[] = [];
  readonly #endpoints = new Map<ContainerId, Endpoint>();
  readonly #server: HttpServer;
  readonly #began = Date.now();
  readonly #closing: (() => void)[] = [];
  /** How far the sessions' clock, which stands still, was moved. */
  ahead = 0;
  url = '';

  private constructor(under: DatabaseUnderTest, options: Options) {
    this.under = under;
    this.scenario = new WorkspaceScenario(under.database);
    this.activity = options.activity ?? new MemoryActivityStore(Date);
    this.ring = new KeyRing(options.keys ?? [ACME]);
    const { database } = under;
    const log = pino({ level: 'debug' }, { write: (line) => void this.log.push(JSON.parse(line)) });
    const metrics = new Metrics(async () => 0);
    this.directory = new DatabaseDirectory({
      database,
      backend: { endpoint: async (container) => this.#endpoint(container) },
      activity: this.activity,
      limits: options.limits ?? NO_LIMITS,
      prove: async () => {},
    });
    this.proxy = new WorkspaceProxy({
      directory: this.directory,
      activity: this.activity,
      writes: database.workspaces.proxy,
      retry: (of, id) => database.workspaces.api.retry(of, id),
      ring: this.ring,
      secret: new InstallationSecret(Buffer.alloc(32, 7)),
      metrics,
      settings: {
        domain: undefined,
        base: () => this.url,
        pathsRefusal: () => undefined,
        trustedProxies: [],
        standbySeconds: 300,
        wakeSeconds: 20,
        lingerMs: 20,
        now: () => this.#began + this.ahead,
        ...options.settings,
      },
      log,
    });
    this.#server = new HttpServer(
      createApp({ routes: [], ring: this.ring, log, metrics, trustedProxies: [] }),
      this.proxy,
    );
  }

  static async open(options: Options = {}): Promise<ProxyWorld> {
    const world = new ProxyWorld(await sqliteUnderTest(), options);
    world.url = await world.#server.listen('127.0.0.1', 0);
    return world;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** A workspace whose program answers like this. */
  async running(listener: RequestListener, words: Partial<NewWorkspace> = {}): Promise<Server> {
    const server = createServer({ keepAliveTimeout: 60_000 }, listener);
    await this.settled('RUNNING', words);
    await this.serve(words.id ?? workspace(), server);
    return server;
  }

  settled(state: WorkspaceState, words: Partial<NewWorkspace> = {}) {
    return this.scenario.settled(state, words);
  }

  /** The server is where the workspace's container listens, from now on. */
  async serve(id: WorkspaceId, server: NetServer): Promise<void> {
    if (!server.listening) {
      const sockets = new Set<Socket>();
      server.on('connection', (socket: Socket) => {
        sockets.add(socket.once('close', () => sockets.delete(socket)));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      this.#closing.push(() => {
        server.close();
        for (const socket of sockets) socket.destroy();
      });
    }
    const { port } = server.address() as AddressInfo; // it listens on TCP
    this.#endpoints.set(workspaceContainerId(id), { kind: 'address', host: '127.0.0.1', port });
  }

  /** Another container of the same name: its incarnation is seen at once. */
  async observed(status: WorkspaceState, incarnation: string | null, id = workspace()): Promise<void> {
    const { database } = this.under;
    await database.workspaces.monitor.observe(id, { status, incarnation }, await database.now());
    this.activity.hint();
    await new Promise(setImmediate);
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.url}${path}`, {
      redirect: 'manual',
      ...init,
      headers: { ...BEARER, ...init.headers },
    });
  }

  /** As a browser opens a page, or with a path that no client changes. */
  async browse(path: string, headers: OutgoingHttpHeaders = {}, method = 'GET'): Promise<Browsed> {
    const opened = request(`${this.url}`, {
      path,
      method,
      agent: false,
      headers: { accept: 'text/html,*/*;q=0.8', ...headers },
    });
    opened.end();
    const [answer] = (await once(opened, 'response')) as [IncomingMessage];
    return { status: answer.statusCode ?? 0, headers: answer.headers, text: await text(answer) };
  }

  /** Exchanges a link; the cookie as a browser would send it back. */
  async session(id = workspace(), key = ACME): Promise<string> {
    const answer = await fetch(this.proxy.link(id, key).url, { redirect: 'manual' });
    return must(must(answer.headers.getSetCookie()[0]).split(';')[0]);
  }

  connect(): Socket {
    const socket = connect(this.port, '127.0.0.1').on('error', () => {});
    this.#closing.push(() => socket.destroy());
    return socket;
  }

  /** What comes back for these bytes, until the connection ends. */
  async raw(bytes: string): Promise<string> {
    const socket = this.connect();
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
    });
    socket.write(Buffer.from(bytes, 'latin1'));
    await new Promise((resolve) => socket.once('close', resolve));
    return received;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const close of this.#closing) close();
    this.directory.close();
    await this.proxy.close();
    await this.#server.close();
    await this.under[Symbol.asyncDispose]();
  }

  #endpoint(container: ContainerId): Endpoint {
    const found = this.#endpoints.get(container);
    if (found === undefined) throw new BerthError('CONTAINER_NOT_FOUND', `there is no ${container}`);
    return found;
  }
}

/** Answers with what it was asked. */
export const tellsRequest: RequestListener = (request, response) => {
  const { method, url, headers, rawHeaders } = request;
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify({ method, url, headers, rawHeaders }));
};
