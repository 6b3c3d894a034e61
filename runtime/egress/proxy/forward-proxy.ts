import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { EgressMethod } from '../../contracts/egress.ts';
import type { Gate, Policy } from '../gate.ts';
import { Refusal } from '../verdict/refusal.ts';
import { assertAllowed } from '../verdict/resolve-target.ts';
import { parseConnectTarget } from '../verdict/target.ts';
import { answerDenial, denialOf, writeDenial } from './answers.ts';
import { ClientConnection } from './client-connection.ts';
import type { Doorkeeper } from './doorkeeper.ts';
import { Exchange } from './exchange.ts';
import { expectHello } from './expect-hello.ts';
import { GateUpstreams } from './gate-upstreams.ts';
import { outgoingOf } from './outgoing.ts';
import { prepareRoute } from './prepare-route.ts';
import type { ProxySettings } from './proxy-options.ts';
import { type Framing, readFraming } from './request-framing.ts';
import { Tunnel } from './tunnel.ts';
import { UpstreamFailure } from './upstream-failure.ts';
import { Watchdog } from './watchdog.ts';

/** A body of a refused request that is read and thrown away, so that the connection can go on. */
const MOST_DISCARDED_BYTES = 64 * 1024;

/** After so many refusals a connection is closed: a stream of them costs its sender a new one. */
const MOST_DENIALS = 16;

/** What the events of Node's server lead to. */
export class ForwardProxy {
  readonly #doorkeeper: Doorkeeper;
  readonly #settings: ProxySettings;
  readonly #watchdog: Watchdog;
  readonly #connections = new WeakMap<Duplex, ClientConnection>();
  readonly #upstreams: GateUpstreams;

  constructor(doorkeeper: Doorkeeper, settings: ProxySettings) {
    this.#doorkeeper = doorkeeper;
    this.#settings = settings;
    const { limits } = settings;
    const shortest = Math.min(limits.answerMs, limits.idleBodyMs, limits.idleTunnelMs, limits.totalMs);
    this.#watchdog = new Watchdog(Math.min(1000, Math.ceil(shortest / 4)), settings.now);
    this.#upstreams = new GateUpstreams(settings);
  }

  accept(socket: Socket): void {
    const connection = new ClientConnection(socket, this.#doorkeeper.nobody);
    this.#connections.set(socket, connection);
    try {
      this.#doorkeeper.enter(connection, this.#settings.limits.connections);
    } catch (error) {
      connection.refuse();
      this.#count(error, this.#doorkeeper.nobody, 'http');
      writeDenial(socket, denialOf(error));
    }
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#connections.get(request.socket);
    if (!connection || connection.refused || request.socket.destroyed) return;
    connection.reader.request = request;
    connection.unanswered += 1;
    response.on('finish', () => {
      connection.unanswered -= 1;
    });
    const { limits, now } = this.#settings;
    const started = now();
    const method = methodOf(request.url ?? '');
    let gate = connection.gate ?? this.#doorkeeper.nobody;
    let framing: Framing | undefined;
    try {
      if (connection.unanswered > limits.pipelined) throw tooManyAhead();
      framing = readFraming(request);
      gate = this.#doorkeeper.gateOf(connection, request, limits.connections);
      if (gate.retired) response.shouldKeepAlive = false;
      if (gate.requests >= limits.requests) throw tooManyRequests();
      if (request.method === 'TRACE') throw noTrace();
      const policy = policyOf(gate);
      const outgoing = method === 'http' ? outgoingOf(request, framing, policy) : undefined;
      const exchange = this.#begin(connection, request, response, gate, method, started);
      if (request.headers.expect !== undefined) response.writeContinue();
      if (outgoing) exchange.send(outgoing, this.#upstreams.pool(gate, policy));
      else void this.#route(exchange, request, framing, gate, policy);
    } catch (error) {
      this.#count(error, gate, method);
      this.#deny(connection, request, response, error, framing);
    }
  }

  async connect(request: IncomingMessage, head: Buffer): Promise<void> {
    const client = request.socket;
    const connection = this.#connections.get(client);
    client.on('error', () => client.destroy());
    client.setTimeout(0);
    const early = Buffer.concat([head, connection?.reader.release() ?? Buffer.alloc(0)]);
    // Answers to what came before it would mix with the tunnel's bytes.
    if (!connection || connection.refused || connection.unanswered > 0) {
      client.destroy();
      return;
    }
    const { limits, tlsPorts } = this.#settings;
    let gate = connection.gate ?? this.#doorkeeper.nobody;
    let answered = false;
    let upstream: Socket | undefined;
    try {
      if (readFraming(request).kind !== 'none') throw new Refusal('malformed', 'CONNECT has no body.');
      gate = this.#doorkeeper.gateOf(connection, request, limits.connections);
      const target = parseConnectTarget(request.url ?? '');
      const match = policyOf(gate).allowed.match(target.host, target.port);
      assertAllowed(match, target);
      if (early.length > 0) client.unshift(early);
      upstream = await this.#upstreams.of(gate).open({ ...target, secure: false, match });
      if (!client.destroyed) {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        answered = true;
        const wanted = !tlsPorts.includes(target.port) || (await expectHello(client, target, limits.helloMs));
        gate.passed('forwarded');
        if (wanted && !client.destroyed && !upstream.destroyed) {
          new Tunnel(client, upstream, limits.idleTunnelMs).run(this.#watchdog);
          return;
        }
      }
      client.destroy();
      upstream.destroy();
    } catch (error) {
      upstream?.destroy();
      this.#count(error, gate, 'connect');
      if (answered) client.destroy();
      else writeDenial(client, denialOf(error));
    }
  }

  /** What came is no HTTP, came too slowly, or the connection failed. */
  broken(error: Error & { code?: string }, socket: Duplex): void {
    const connection = this.#connections.get(socket);
    const code = error.code ?? '';
    if (!connection || !(code.startsWith('HPE_') || code.startsWith('ERR_HTTP_'))) {
      socket.destroy();
      return;
    }
    if (connection.refused) {
      // It was told why already; that may still be on its way.
      connection.socket.destroySoon();
      return;
    }
    connection.refuse();
    const slow = code === 'ERR_HTTP_REQUEST_TIMEOUT';
    const refusal = slow
      ? new Refusal('malformed', 'The request took too long to come.', { status: 408 })
      : new Refusal('malformed', 'The request is not acceptable as HTTP/1.1.');
    this.#count(refusal, connection.gate ?? this.#doorkeeper.nobody, 'http');
    if (connection.answering) socket.destroy();
    else writeDenial(connection.socket, refusal);
  }

  #begin(
    connection: ClientConnection,
    request: IncomingMessage,
    response: ServerResponse,
    gate: Gate,
    method: EgressMethod,
    started: number,
  ): Exchange {
    const exchange = new Exchange(request, response, this.#settings.limits, (end) => {
      gate.requests -= 1;
      connection.leave(exchange);
      this.#watchdog.forget(watch);
      if ('outcome' in end) gate.passed(end.outcome);
      else this.#count(end.refused, gate, method);
      gate.took(method, (this.#settings.now() - started) / 1000);
    });
    gate.requests += 1;
    connection.enter(exchange);
    const watch = this.#watchdog.watch(exchange, this.#settings.limits.totalMs);
    return exchange;
  }

  async #route(
    exchange: Exchange,
    request: IncomingMessage,
    framing: Framing,
    gate: Gate,
    policy: Policy,
  ): Promise<void> {
    try {
      const { outgoing, release } = await prepareRoute(request, framing, gate, policy, this.#settings);
      exchange.whenEnded(release);
      exchange.send(outgoing, this.#upstreams.pool(gate, policy));
    } catch (error) {
      exchange.fail(error);
    }
  }

  #count(error: unknown, gate: Gate, method: EgressMethod): void {
    if (error instanceof Refusal) gate.refused(error, method);
    else gate.passed(error instanceof UpstreamFailure ? error.outcome : 'upstream_failed');
  }

  #deny(
    connection: ClientConnection,
    request: IncomingMessage,
    response: ServerResponse,
    error: unknown,
    framing: Framing | undefined,
  ): void {
    const small =
      framing?.kind === 'none' || (framing?.kind === 'length' && framing.bytes <= MOST_DISCARDED_BYTES);
    connection.denials += 1;
    const close =
      connection.denials >= MOST_DENIALS ||
      !small ||
      request.headers.expect !== undefined ||
      connection.unanswered > 1;
    if (close) connection.refuse();
    answerDenial(response, denialOf(error), close);
  }
}

/** How a request came in, by its target alone. */
function methodOf(url: string): EgressMethod {
  if (!url.startsWith('/')) return 'http';
  if (/^\/mcp(?![^/?])/.test(url)) return 'mcp';
  return /^\/anthropic(?![^/?])/.test(url) ? 'anthropic' : 'bedrock';
}

function policyOf(gate: Gate): Policy {
  if (gate.policy) return gate.policy;
  throw new Refusal('not_allowed', 'Domain not in whitelist\nThis container has no rules yet.');
}

function tooManyAhead(): Refusal {
  return new Refusal('too_many', 'Too many requests were sent ahead of their answers.');
}

function tooManyRequests(): Refusal {
  return new Refusal('too_many', 'Too many requests are in work at once; wait for some of them.');
}

function noTrace(): Refusal {
  return new Refusal('forbidden_path', 'TRACE is not forwarded: its answer would show what the proxy adds.', {
    status: 405,
  });
}
