import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect } from 'vitest';
import { eventually } from './cluster.ts';
import type { RuntimeProcess } from './runtime-process.ts';
import { objectStore, postgres, redis } from './services/provided.ts';

export interface Target {
  host: string;
  port: number;
}

/** Of clouds: where an instance or a task gets its credentials. */
export const METADATA: Target[] = ['169.254.169.254', '169.254.170.2'].map((host) => ({ host, port: 80 }));

/**
 * What listens on this machine, at each of its addresses, and no container may reach: the stores, the database, the API,
 * and a listener that counts who comes.
 */
export class ForbiddenTargets implements AsyncDisposable {
  readonly all: Target[];
  /** Of the listener, on every address. */
  readonly port: number;
  readonly #listener: Server;
  #reached = 0;

  private constructor(listener: Server, runtime: RuntimeProcess) {
    this.#listener = listener;
    this.port = (listener.address() as { port: number }).port; // of a TCP server it is never a text
    const addresses = Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .filter(({ family }) => family === 'IPv4')
      .map(({ address }) => address);
    expect(addresses.length).toBeGreaterThan(1);
    const services = [redis().url, postgres().url, objectStore().endpoint, runtime.url];
    const ports = [this.port, ...services.map((url) => Number(new URL(url).port))];
    this.all = addresses.flatMap((host) => ports.map((port) => ({ host, port })));
    listener.on('connection', (socket) => {
      this.#reached += 1;
      socket.on('error', () => {}); // who only tries whether it is there leaves at once
      socket.end('reached');
    });
  }

  /** All of them are there, for whoever is not in a container. */
  static async open(runtime: RuntimeProcess): Promise<ForbiddenTargets> {
    const listener = createServer().listen(0, '0.0.0.0');
    await once(listener, 'listening');
    const targets = new ForbiddenTargets(listener, runtime);
    const own = targets.all.filter(({ port }) => port === targets.port);
    const others = targets.all.filter(({ host, port }) => port !== targets.port && host === '127.0.0.1');
    for (const target of [...own, ...others])
      expect(await attempt(target), `${target.host}:${target.port}`).toBe('connected');
    await eventually(() => expect(targets.#reached).toBe(own.length));
    targets.#reached = 0;
    return targets;
  }

  /** How often somebody has come since all of them were seen to be there. */
  get reached(): number {
    return this.#reached;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#listener[Symbol.asyncDispose]();
  }
}

/** `connected`, or the system's word against it. */
function attempt({ host, port }: Target): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect({ host, port, timeout: 5_000 });
  const settle = (word: string) => {
    socket.destroy();
    resolve(word);
  };
  socket.on('connect', () => settle('connected'));
  socket.on('timeout', () => settle('timeout'));
  socket.on('error', (error: NodeJS.ErrnoException) => settle(error.code ?? error.message));
  return promise;
}

/** For a module that runs in a container: what becomes of a target by itself, and of a URL through the proxy (a status). */
export const TRIES = `import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
const directly = ({ host, port }) => new Promise((resolve) => {
  const socket = connect({ host, port, timeout: 2000 });
  const settle = (word) => { socket.destroy(); resolve(word); };
  socket.on('connect', () => settle('connected'));
  socket.on('timeout', () => settle('timeout'));
  socket.on('error', (error) => settle(error.code));
});
const proxy = new URL(process.env.HTTP_PROXY);
const proxied = (url) => new Promise((resolve) => {
  const headers = { host: new URL(url).host };
  const call = request({ host: proxy.hostname, port: proxy.port, path: url, headers }, (answer) => {
    answer.on('end', () => resolve(answer.statusCode));
    answer.resume();
  });
  call.on('error', (error) => resolve(error.code));
  call.end();
});
const interfaces = () => readdirSync('/sys/class/net');
`;
