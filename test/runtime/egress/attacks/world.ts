import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo, ListenOptions, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gateCommands } from '../../../../runtime/egress/admin/gate-commands.ts';
import { createForwardingServer } from '../../../../runtime/egress/forwarding-server.ts';
import { Gate } from '../../../../runtime/egress/gate.ts';
import type { Limits } from '../../../../runtime/egress/proxy/limits.ts';
import { createProxyServer, createSharedProxyServer } from '../../../../runtime/egress/proxy/proxy-server.ts';
import { parseOnwardProxy } from '../../../../runtime/egress/settings.ts';
import { DnsServer } from '../../../support/dns-server.ts';
import { type RunningAdmin, runAdmin } from '../admin/running-admin.ts';
import type { HostileAnswer } from './attack.ts';
import { MadeAddress } from './made-address.ts';
import { OwnMetadata } from './own-metadata.ts';
import { Recorder } from './recorder.ts';
import { CANARY, worldState } from './world-state.ts';

const CREDENTIAL = `${CANARY}-credential`;
const VICTIMS = ['127.0.0.1', '127.0.0.3', '::1'];

/** Short, so that who stands still is cut off soon. */
const LIMITS: Partial<Limits> = {
  headMs: 500,
  answerMs: 500,
  idleBodyMs: 500,
  helloMs: 500,
  connectMs: 1200,
  totalMs: 1500,
  gatheredBytes: 1000,
};

/**
 * A proxy on a Unix socket, the upstreams that it may reach, and victims that nothing may reach: all of them at one
 * port, at addresses of this machine.
 */
export class World implements AsyncDisposable {
  readonly lines: Record<string, unknown>[] = [];
  readonly gate = new Gate('ws-000000000001', (line) => this.lines.push(line));
  readonly folder = mkdtempSync(join(tmpdir(), 'berth-attacks-'));
  readonly socket = join(this.folder, 'proxy.sock');
  hostile: HostileAnswer = { bytes: '' };
  readonly #stack = new AsyncDisposableStack();
  readonly upstreams: Recorder[] = [];
  readonly victims: Recorder[] = [];
  #names: Record<string, string> = {};
  #dns: DnsServer | undefined;

  /** `behindSidecar`: the proxy is a shared one, and what is on the socket only forwards to it. */
  static async start({ behindSidecar = false } = {}): Promise<World> {
    const world = new World();
    try {
      await world.#start(behindSidecar);
      return world;
    } catch (error) {
      await world.#stack.disposeAsync();
      throw error;
    }
  }

  /** PORT, HOSTILE, ADMIN: ports. PUBLIC, OWN, TLS: addresses, of which the first alone is not special. */
  fill(text: string): string {
    return text.replaceAll(/PORT|HOSTILE|ADMIN|PUBLIC|OWN|TLS/g, (name) => this.#names[name] ?? name);
  }

  get dns(): DnsServer {
    if (this.#dns === undefined) throw new Error('the world has not begun');
    return this.#dns;
  }

  /** Whether a secret is in what anybody was told. */
  tells(text: string): boolean {
    return `${text}${JSON.stringify(this.lines)}`.includes(CANARY);
  }

  async #start(behindSidecar: boolean): Promise<void> {
    const stack = this.#stack;
    stack.defer(() => rmSync(this.folder, { recursive: true, force: true }));
    stack.use(await OwnMetadata.make());
    const open = stack.use(await MadeAddress.make('public')).address;
    const own = stack.use(await MadeAddress.make('private')).address;
    this.#dns = stack.use(await DnsServer.start());
    const port = await this.#listen(open, own);
    const hostile = stack.use(await Recorder.plain('127.0.0.2', 0, (socket) => this.#answerHostile(socket)));
    const tls = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
    this.upstreams.push(hostile, stack.use(await Recorder.plain(tls, 443)));
    const admin = await runAdmin(gateCommands(this.gate));
    stack.defer(() => end(admin));
    this.#names = {
      PORT: `${port}`,
      HOSTILE: `${hostile.port}`,
      ADMIN: `${admin.port}`,
      PUBLIC: open,
      OWN: own,
      TLS: tls,
    };
    this.dns.set('up.test', { addresses: ['127.0.0.2'] });
    this.dns.set('a.sub.test', { addresses: ['127.0.0.2'] });
    this.dns.set('tls.test', { addresses: [tls] });
    for (const name of ['victim.test', 'plain.test']) this.dns.set(name, { addresses: ['127.0.0.3'] });
    this.gate.replace(worldState((text) => this.fill(text)));
    const options = { lookup: this.dns.lookup(), limits: LIMITS };
    if (behindSidecar) {
      const find = (_: string, credential: string) => (credential === CREDENTIAL ? this.gate : undefined);
      const shared = createSharedProxyServer(find, options);
      await this.#serve(shared, { port: 0, host: '127.0.0.1' });
      const { port: sharedPort } = shared.address() as AddressInfo; // it listens on TCP
      const onward = parseOnwardProxy(`http://127.0.0.1:${sharedPort}`, this.gate.container, CREDENTIAL);
      await this.#serve(createForwardingServer(onward), { path: this.socket });
    } else {
      await this.#serve(createProxyServer(this.gate, options), { path: this.socket });
    }
    stack.defer(() => this.gate.close());
  }

  async #serve(server: Server, place: ListenOptions): Promise<void> {
    await new Promise<void>((resolve) => server.listen(place, resolve));
    this.#stack.defer(() => {
      server.closeAllConnections();
      server.close();
    });
  }

  /** Everybody at the same port, which is free at all of their addresses. */
  async #listen(open: string, own: string): Promise<number> {
    for (let attempt = 1; ; attempt += 1) {
      await using made = new AsyncDisposableStack();
      const listen = async (host: string, port: number) =>
        made.use(
          await Recorder.http(host, port, (request, response) => {
            if (request.url?.endsWith('/redirect'))
              response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' });
            if (request.url === '/close') response.setHeader('connection', 'close');
            request.resume().on('end', () => response.end('hello'));
          }),
        );
      try {
        const upstream = await listen('127.0.0.2', 0);
        const atPublic = await listen(open, upstream.port);
        const victims: Recorder[] = [];
        for (const host of [...VICTIMS, own]) victims.push(await listen(host, upstream.port));
        this.upstreams.push(upstream, atPublic);
        this.victims.push(...victims);
        this.#stack.use(made.move());
        return upstream.port;
      } catch (error) {
        if (attempt === 10) throw error;
      }
    }
  }

  #answerHostile(socket: Socket): void {
    socket.on('data', () => {
      const { bytes, next } = this.hostile;
      const content = Buffer.from(bytes, 'latin1');
      if (next === 'close') socket.end(content);
      else socket.write(content);
      if (next !== 'repeat') return;
      const timer = setInterval(() => socket.write(content), 1);
      socket.on('close', () => clearInterval(timer));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

function end(admin: RunningAdmin): void {
  const server: Server = admin.server;
  server.closeAllConnections();
  server.close();
}
