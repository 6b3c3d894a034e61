import {
  type AgentOptions,
  Agent as HttpAgent,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Endpoint } from '../containers/container-backend.ts';
import { AgentMisbehaved, AgentUnreachable } from './agent-failures.ts';
import { openProven } from './proven-socket.ts';

/** Less than the agent keeps an idle connection, so that none is used in the moment it is closed. */
const IDLE_MS = 60_000;

export interface AgentCall {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Readable;
  signal?: AbortSignal;
}

/** An answer, or a connection that is HTTP no more. */
export type Opened = { answer: IncomingMessage } | { socket: Socket; head: Buffer };

const POOL: AgentOptions = { keepAlive: true, maxFreeSockets: 4, scheduling: 'lifo', timeout: IDLE_MS };

/** Where an agent is, or who finds that out once it is called. */
export type AgentPlace = Endpoint | (() => Promise<Endpoint>);

/**
 * Kept-alive HTTP connections to one container's agent. A socket's file is one container's alone; at an address every
 * new connection is proved first, and the work goes down that same connection.
 */
export class AgentConnection {
  readonly #place: AgentPlace;
  readonly #token: string;
  #found: { endpoint: Endpoint; agent: HttpAgent } | undefined;
  #closed = false;

  constructor(place: AgentPlace, token: string) {
    this.#place = place;
    this.#token = token;
  }

  /** Resolves with the head of the answer. Throws `AgentUnreachable` when there is none. */
  async call(call: AgentCall): Promise<IncomingMessage> {
    const opened = await this.#open(call);
    if ('answer' in opened) return opened.answer;
    opened.socket.destroy();
    throw new AgentMisbehaved('it upgrades a connection unasked');
  }

  /** Resolves with a connection of its own, which from now on speaks this protocol; or with an answer that refuses it. */
  upgrade(call: AgentCall, protocol: string): Promise<Opened> {
    return this.#open({ ...call, headers: { ...call.headers, connection: 'Upgrade', upgrade: protocol } });
  }

  async #open(call: AgentCall): Promise<Opened> {
    call.signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Opened>();
    const { endpoint, agent } = this.#found ?? (await this.#find());
    call.signal?.throwIfAborted();
    const where =
      endpoint.kind === 'socket'
        ? { socketPath: endpoint.path, host: 'agent' }
        : { host: endpoint.host, port: endpoint.port };
    const headers: OutgoingHttpHeaders = { authorization: `Bearer ${this.#token}`, ...call.headers };
    if (typeof call.body === 'string') {
      headers['content-type'] = 'application/json';
      headers['content-length'] = Buffer.byteLength(call.body);
    }
    const outgoing = request({
      ...where,
      agent,
      method: call.method,
      path: call.path,
      headers,
      ...(call.signal === undefined ? {} : { signal: call.signal }),
    });
    let connected = false;
    outgoing.once('socket', (socket) => {
      const send = () => {
        connected = true;
        // Only now, so that the body of a call that never arrived is still whole.
        if (call.body === undefined || typeof call.body === 'string') outgoing.end(call.body);
        else pipeline(call.body, outgoing).catch((error) => outgoing.destroy(error));
      };
      if (socket.connecting) socket.once('connect', send);
      else send();
    });
    // A connection that is being proved is not broken off; who gave up does not wait for it.
    const onAbort = () => reject(call.signal?.reason);
    call.signal?.addEventListener('abort', onAbort, { once: true });
    outgoing.once('close', () => call.signal?.removeEventListener('abort', onAbort));
    outgoing.on('response', (answer) => resolve({ answer }));
    if (headers.upgrade !== undefined)
      outgoing.on('upgrade', (answer, socket, head) => {
        if (answer.headers.upgrade === headers.upgrade) {
          resolve({ socket: socket as Socket, head }); // `createConnection` makes no others
          return;
        }
        socket.destroy();
        reject(new AgentMisbehaved('it goes on as something else than was asked for'));
      });
    outgoing.on('error', (error) => {
      if (call.signal?.aborted === true) reject(call.signal.reason);
      else reject(error instanceof AgentMisbehaved ? error : new AgentUnreachable(connected, error));
    });
    // Not every end is told as an error: an answer of 101 that nobody asked for is not.
    outgoing.on('close', () =>
      reject(new AgentUnreachable(connected, new Error('it hung up without an answer'))),
    );
    return promise;
  }

  close(): void {
    this.#closed = true;
    this.#found?.agent.destroy();
  }

  async #find(): Promise<{ endpoint: Endpoint; agent: HttpAgent }> {
    const endpoint = await this.#ask();
    const agent = endpoint.kind === 'socket' ? new HttpAgent(POOL) : new ProvenAgent(endpoint, this.#token);
    this.#found ??= { endpoint, agent };
    if (this.#closed) agent.destroy();
    return this.#found;
  }

  async #ask(): Promise<Endpoint> {
    if (typeof this.#place !== 'function') return this.#place;
    try {
      return await this.#place();
    } catch (error) {
      throw new AgentUnreachable(false, error);
    }
  }
}

/** Its connections are proved before anything is sent. */
class ProvenAgent extends HttpAgent {
  readonly #open: () => Promise<Duplex>;

  constructor({ host, port }: Extract<Endpoint, { kind: 'address' }>, token: string) {
    super(POOL);
    this.#open = () => openProven(host, port, token);
  }

  override createConnection(
    _options: object,
    callback: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    this.#open().then(
      (socket) => callback(null, socket),
      // The cast: Node takes an error without a socket.
      (error) => (callback as (error: Error) => void)(error),
    );
  }
}
