import type { Calls } from '../api.ts';
import { path, type Query } from './address.ts';
import { asBerthError, BerthError } from './berth-error.ts';
import { readProblem } from './read-problem.ts';
import { type RetrySettings, waitBefore } from './retry-plan.ts';
import type { OpenSocket } from './terminal-socket.ts';
import { wait } from './wait.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Bytes to send. A stream can't be sent twice, so what sends one is not repeated. */
export type Content = string | Uint8Array | ArrayBuffer | Blob | ReadableStream<Uint8Array>;

export interface CallerSettings extends RetrySettings {
  /** Without a slash at its end. */
  base: string;
  key: string;
  fetch: Fetch;
  silenceMs: number;
  openSocket: OpenSocket;
}

export type CallName = keyof Calls;

/** Of every call. */
export interface CallOptions {
  /** Ends the call, its waits included. */
  signal?: AbortSignal | undefined;
}

interface Request<Name extends CallName> extends CallOptions {
  params?: Calls[Name]['params'];
  query?: Calls[Name]['query'];
  json?: Calls[Name]['body'];
  content?: Content | undefined;
  headers?: Record<string, string>;
  /** A POST that may be made twice, all the same. */
  harmless?: boolean;
  /** Statuses besides 2xx that are no error. */
  also?: (answer: Response) => boolean;
}

/** Makes calls, and repeats those that can do no harm. */
export class Caller {
  readonly settings: CallerSettings;

  constructor(settings: CallerSettings) {
    this.settings = settings;
  }

  async json<Name extends CallName>(name: Name, request: Request<Name>): Promise<Calls[Name]['answer']> {
    return this.#call(name, request, async (answer) => {
      const text = await answer.text();
      try {
        return JSON.parse(text) as Calls[Name]['answer']; // the document that the types are made of says so
      } catch (cause) {
        const detail = 'the answer is no JSON: something else answers at this address';
        throw new BerthError('UNEXPECTED_ANSWER', detail, { status: answer.status, cause });
      }
    });
  }

  text<Name extends CallName>(name: Name, request: Request<Name>): Promise<string> {
    return this.#call(name, request, (answer) => answer.text());
  }

  /** The answer, when its head is there; what breaks it later is the reader's to see. */
  answer<Name extends CallName>(name: Name, request: Request<Name>): Promise<Response> {
    return this.#call(name, request, async (answer) => answer);
  }

  /** Where the answer to an earlier try was lost, that it is gone means that it is done. */
  async remove<Name extends CallName>(name: Name, request: Request<Name>): Promise<void> {
    let lost = false;
    const noted = { ...request, onRetry: (error: BerthError) => (lost ||= error.status === undefined) };
    try {
      await this.#call(name, noted, (answer) => answer.text());
    } catch (error) {
      if (!(lost && error instanceof BerthError && error.status === 404)) throw error;
    }
  }

  /** One try. */
  async once<Name extends CallName>(name: Name, request: Request<Name>): Promise<Response> {
    const [method = '', template = ''] = name.split(' ');
    const { params = {}, query = {}, json, content, signal } = request;
    const url = `${this.settings.base}${path(template, params as Record<string, string>, query as Query)}`;
    const headers = {
      authorization: `Bearer ${this.settings.key}`,
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...request.headers,
    };
    const body = json === undefined ? content : JSON.stringify(json);
    const init = {
      method,
      headers,
      redirect: 'manual',
      credentials: 'omit',
      cache: 'no-store',
      ...(body === undefined ? {} : { body }),
      ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
      ...(signal === undefined ? {} : { signal }),
    };
    const answer = await this.settings.fetch(url, init as RequestInit); // not every platform's type has them all
    if (answer.ok || request.also?.(answer) === true) return answer;
    throw await readProblem(answer);
  }

  async #call<Name extends CallName, Value>(
    name: Name,
    request: Request<Name> & { onRetry?: (error: BerthError) => void },
    take: (answer: Response) => Promise<Value>,
  ): Promise<Value> {
    const { signal, content } = request;
    const harmless = request.harmless === true || !name.startsWith('POST ');
    for (let retried = 0; ; retried += 1) {
      try {
        return await take(await this.once(name, request));
      } catch (thrown) {
        const error = asBerthError(thrown, signal);
        const ms = waitBefore(error, retried, this.settings, Math.random());
        if (!harmless || content instanceof ReadableStream || ms === undefined) throw error;
        request.onRetry?.(error);
        await wait(ms, signal);
      }
    }
  }
}
