import { Agent, request as httpRequest, type RequestOptions } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import Docker from 'dockerode';
import { BerthError } from '../../contracts/errors.ts';
import { engineError, unavailable } from './engine-errors.ts';

export interface EngineRequest {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  query?: Record<string, unknown>;
  body?: object;
  /** 10 unless said. */
  seconds?: number;
}

const CALL_SECONDS = 10;
const DONE = { 200: true, 201: true, 204: true };

/**
 * Requests to the engine, each within its time. They throw `BACKEND_UNAVAILABLE` or `EngineRefusal`.
 * They go through dockerode's modem: its calls for containers take no time limit for some of them, write the whole
 * body of a create (the token too) into the address, and hold a log of any length in memory.
 */
export class EngineConnection {
  readonly host: string;
  readonly #modem: Docker['modem'];
  readonly #address: RequestOptions;
  // A connection a call: one kept through a restart of the engine would fail its next call.
  readonly #agent = new Agent({ keepAlive: false });

  constructor(host: string) {
    this.host = host;
    this.#address = address(host);
    // The types know no agent, which the modem takes.
    const options = {
      ...NOTHING,
      ...this.#address,
      protocol: 'http',
      agent: this.#agent,
    } as Docker.DockerOptions;
    this.#modem = new Docker(options).modem;
  }

  request(request: EngineRequest): Promise<unknown> {
    return this.#within(request, (abort) => this.#dial(request, abort, false));
  }

  /** Reads a reply of any length piece by piece. */
  read<T>(request: EngineRequest, reader: (pieces: AsyncIterable<Buffer>) => Promise<T>): Promise<T> {
    return this.#within(request, async (abort) => {
      // A reply asked for as a stream is one.
      const stream = (await this.#dial(request, abort, true)) as Readable;
      return reader(stream);
    });
  }

  /**
   * A connection that is the request's own from its reply on, both ways and for as long as it takes. Not through the
   * modem: what it sends as the end of an empty body would be the first that the other side reads.
   */
  upgrade(request: EngineRequest): Promise<Duplex> {
    return this.#within(request, async (abort) => {
      const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries(request.query ?? {})) query.set(name, String(value));
      const asked = httpRequest({
        ...this.#address,
        method: request.method,
        path: `${request.path}?${query}`,
        headers: { Connection: 'Upgrade', Upgrade: 'tcp', 'Content-Length': 0 },
        agent: false,
      });
      const onAbort = () => asked.destroy(new Error('given up'));
      abort.addEventListener('abort', onAbort);
      asked.on('upgrade', (_reply, socket: Socket, head) => {
        abort.removeEventListener('abort', onAbort);
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      });
      asked.on('response', (reply) => {
        reply.resume();
        reject(Object.assign(new Error(`status ${reply.statusCode}`), { statusCode: reply.statusCode }));
      });
      asked.on('error', reject);
      asked.end();
      return promise;
    });
  }

  close(): void {
    this.#agent.destroy();
  }

  #dial(
    { method, path, query, body }: EngineRequest,
    abortSignal: AbortSignal,
    isStream: boolean,
  ): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#modem.dial(
      {
        method,
        path: query === undefined ? path : `${path}?`,
        options: { _query: query ?? {}, _body: body ?? {} },
        isStream,
        statusCodes: DONE,
        abortSignal,
      },
      (error, reply) => (error ? reject(error) : resolve(reply)),
    );
    return promise;
  }

  async #within<T>(request: EngineRequest, act: (abort: AbortSignal) => Promise<T>): Promise<T> {
    const doing = `${request.method} ${request.path}`;
    const seconds = request.seconds ?? CALL_SECONDS;
    const late = AbortSignal.timeout(seconds * 1000);
    const timedOut = Promise.withResolvers<never>();
    late.addEventListener('abort', timedOut.reject, { once: true });
    try {
      // Raced as well as passed on: the modem never settles a call whose reply is cut off half way.
      return await Promise.race([act(late), timedOut.promise]);
    } catch (error) {
      if (late.aborted) throw unavailable(doing, this.host, `nothing within ${seconds} s`, error);
      throw engineError(doing, this.host, error);
    } finally {
      late.removeEventListener('abort', timedOut.reject);
    }
  }
}

/** Nothing is left to be looked up: the modem would take what it is not given from the environment. */
const NOTHING = {
  host: undefined,
  port: undefined,
  pathPrefix: undefined,
  ca: undefined,
  timeout: undefined,
};

function address(host: string): RequestOptions {
  const path = /^unix:\/\/(\/.+)$/.exec(host)?.[1];
  if (path !== undefined) return { socketPath: path };
  const url = URL.parse(host);
  if (url?.protocol === 'tcp:' && url.hostname !== '') {
    return { host: url.hostname, port: url.port || '2375' };
  }
  throw new BerthError('INTERNAL', `DOCKER_HOST wants unix:///<path> or tcp://<host>:<port>, not ${host}`);
}
