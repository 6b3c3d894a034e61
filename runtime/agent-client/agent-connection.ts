import { Agent as HttpAgent, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Endpoint } from '../containers/container-backend.ts';
import { AgentUnreachable } from './agent-failures.ts';

/** Less than the agent keeps an idle connection, so that none is used in the moment it is closed. */
const IDLE_MS = 60_000;

export interface AgentCall {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Readable;
  signal?: AbortSignal;
}

/** Kept-alive HTTP connections to one container's agent. */
export class AgentConnection {
  readonly #endpoint: Endpoint;
  readonly #token: string;
  readonly #agent = new HttpAgent({
    keepAlive: true,
    maxFreeSockets: 4,
    scheduling: 'lifo',
    timeout: IDLE_MS,
  });

  constructor(endpoint: Endpoint, token: string) {
    this.#endpoint = endpoint;
    this.#token = token;
  }

  /** Resolves with the head of the answer. Throws `AgentUnreachable` when there is none. */
  async call(call: AgentCall): Promise<IncomingMessage> {
    call.signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const where =
      this.#endpoint.kind === 'socket'
        ? { socketPath: this.#endpoint.path, host: 'agent' }
        : { host: this.#endpoint.host, port: this.#endpoint.port };
    const headers: OutgoingHttpHeaders = { authorization: `Bearer ${this.#token}`, ...call.headers };
    if (typeof call.body === 'string') {
      headers['content-type'] = 'application/json';
      headers['content-length'] = Buffer.byteLength(call.body);
    }
    const outgoing = request({
      ...where,
      agent: this.#agent,
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
    outgoing.on('response', resolve);
    outgoing.on('error', (error) => {
      reject(call.signal?.aborted === true ? call.signal.reason : new AgentUnreachable(connected, error));
    });
    // Not every end is told as an error: an answer of 101 is not.
    outgoing.on('close', () =>
      reject(new AgentUnreachable(connected, new Error('it hung up without an answer'))),
    );
    return promise;
  }

  close(): void {
    this.#agent.destroy();
  }
}
