import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EgressStats } from '../contracts/egress.ts';
import { ContainerListener } from './container-listener.ts';
import { createForwardingServer } from './forwarding-server.ts';
import { type EgressLog, Gate } from './gate.ts';
import type { HostRequest, HostResults } from './host-messages.ts';
import { createProxyServer, createSharedProxyServer } from './proxy/proxy-server.ts';

type Put = Extract<HostRequest, { kind: 'put' }>;

interface Hosted {
  gate: Gate;
  /** Of one with a socket. */
  listener: ContainerListener | undefined;
  /** Of one with a network: SHA-256 of its credential. */
  hash: Buffer | undefined;
}

/** The containers of one machine, each with rules of its own, and a socket or a credential. */
export class HostedContainers {
  readonly #log: EgressLog;
  readonly #hosted = new Map<string, Hosted>();
  #shared: Server | undefined;

  constructor(log: EgressLog) {
    this.#log = log;
  }

  async carryOut(request: HostRequest): Promise<HostResults[HostRequest['kind']]> {
    switch (request.kind) {
      case 'put':
        return { inPlace: await this.#put(request) };
      case 'share':
        return this.#share(request.host, request.port);
      case 'remove':
        return this.#remove(request.container);
      case 'look':
        return this.#look();
    }
  }

  async #put({ container, at, rules, takeOver }: Put): Promise<boolean> {
    const known = this.#hosted.get(container);
    const gate = known?.gate ?? new Gate(container, this.#log);
    if (rules.kind === 'own') gate.replace(rules.state);
    if ('credentialSha256' in at) {
      const hash = Buffer.from(at.credentialSha256, 'hex');
      this.#hosted.set(container, { gate, listener: undefined, hash });
      return true;
    }
    if (known?.listener?.isAt(at.socket) === true) return true;
    if (!takeOver) {
      this.#letGo(container);
      return false;
    }
    known?.listener?.close();
    const server = rules.kind === 'own' ? createProxyServer(gate) : createForwardingServer(rules.proxy);
    const listener = new ContainerListener(server, at.socket);
    await listener.listen();
    this.#hosted.set(container, { gate, listener, hash: undefined });
    return true;
  }

  async #share(host: string, port: number): Promise<HostResults['share']> {
    this.#shared?.close();
    const nobody = new Gate('', this.#log);
    const find = (container: string, credential: string) => this.#find(container, credential);
    const server = createSharedProxyServer(find, { nobody });
    server.listen(port, host);
    await once(server, 'listening');
    this.#shared = server;
    return { port: (server.address() as AddressInfo).port }; // it listens on TCP
  }

  /** It takes as long for a wrong credential as for a right one. */
  #find(container: string, credential: string): Gate | undefined {
    const shown = createHash('sha256').update(credential).digest();
    const { gate, hash } = this.#hosted.get(container) ?? {};
    return hash?.length === shown.length && timingSafeEqual(hash, shown) ? gate : undefined;
  }

  #remove(container: string): EgressStats | null {
    const hosted = this.#hosted.get(container);
    if (hosted === undefined) return null;
    this.#hosted.delete(container);
    hosted.listener?.close();
    hosted.gate.close();
    return hosted.gate.stats();
  }

  /** What it has in work goes on, with a last answer on every connection. */
  #letGo(container: string): void {
    const hosted = this.#hosted.get(container);
    hosted?.listener?.close();
    hosted?.gate.retire();
    this.#hosted.delete(container);
  }

  /** Who lost its socket to another proxy keeps the connections it has, and gets no new ones. */
  #look(): HostResults['look'] {
    const all = [...this.#hosted];
    const superseded = all.flatMap(([container, { listener }]) =>
      listener?.isInPlace === false ? [container] : [],
    );
    for (const container of superseded) this.#letGo(container);
    return {
      containers: Object.fromEntries(all.map(([container, { gate }]) => [container, gate.stats()])),
      superseded,
    };
  }
}
