import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EgressStats } from '../contracts/egress.ts';
import { ContainerListener } from './container-listener.ts';
import { createForwardingServer } from './forwarding-server.ts';
import { type EgressLog, Gate } from './gate.ts';
import type { HostRequest, HostResults } from './host-messages.ts';
import { createProxyServer, createSharedProxyServer } from './proxy/proxy-server.ts';
import { ServedContainers } from './served-containers.ts';

type Put = Extract<HostRequest, { kind: 'put' }>;

interface Hosted {
  gate: Gate;
  listener: ContainerListener;
}

/** The containers of one machine, each with rules of its own, and a socket or a credential. */
export class HostedContainers {
  readonly #log: EgressLog;
  /** Those with a socket. */
  readonly #hosted = new Map<string, Hosted>();
  /** Those with a network. */
  readonly #networked: ServedContainers;
  #shared: Server | undefined;

  constructor(log: EgressLog) {
    this.#log = log;
    this.#networked = new ServedContainers(log);
  }

  async carryOut(request: HostRequest): Promise<HostResults[HostRequest['kind']]> {
    switch (request.kind) {
      case 'put':
        return { inPlace: await this.#put(request) };
      case 'serve':
        this.#networked.put(request.container, Buffer.from(request.credentialSha256, 'hex'), request.state);
        return null;
      case 'share':
        return this.#share(request.host, request.port);
      case 'remove':
        return this.#remove(request.container);
      case 'look':
        return this.#look();
    }
  }

  async #put({ container, socket, rules, takeOver }: Put): Promise<boolean> {
    const known = this.#hosted.get(container);
    const gate = known?.gate ?? new Gate(container, this.#log);
    if (rules.kind === 'own') gate.replace(rules.state);
    if (known?.listener.isAt(socket) === true) return true;
    if (!takeOver) {
      this.#letGo(container);
      return false;
    }
    known?.listener.close();
    const server = rules.kind === 'own' ? createProxyServer(gate) : createForwardingServer(rules.proxy);
    const listener = new ContainerListener(server, socket);
    await listener.listen();
    this.#hosted.set(container, { gate, listener });
    return true;
  }

  async #share(host: string, port: number): Promise<HostResults['share']> {
    this.#shared?.close();
    const nobody = new Gate('', this.#log);
    const find = (container: string, credential: string) => this.#networked.find(container, credential);
    const server = createSharedProxyServer(find, { nobody });
    server.listen(port, host);
    await once(server, 'listening');
    this.#shared = server;
    return { port: (server.address() as AddressInfo).port }; // it listens on TCP
  }

  #remove(container: string): EgressStats | null {
    const hosted = this.#hosted.get(container);
    if (hosted === undefined) return this.#networked.remove(container) ?? null;
    this.#hosted.delete(container);
    hosted.listener.close();
    hosted.gate.close();
    return hosted.gate.stats();
  }

  /** What it has in work goes on, with a last answer on every connection. */
  #letGo(container: string): void {
    const hosted = this.#hosted.get(container);
    hosted?.listener.close();
    hosted?.gate.retire();
    this.#hosted.delete(container);
  }

  /** Who lost its socket to another proxy keeps the connections it has, and gets no new ones. */
  #look(): HostResults['look'] {
    const all = [...this.#hosted];
    const superseded = all.flatMap(([container, { listener }]) => (listener.isInPlace ? [] : [container]));
    for (const container of superseded) this.#letGo(container);
    return {
      containers: {
        ...Object.fromEntries(all.map(([container, { gate }]) => [container, gate.stats()])),
        ...this.#networked.stats(),
      },
      superseded,
    };
  }
}
