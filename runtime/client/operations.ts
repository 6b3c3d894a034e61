import type {
  Container,
  ContainerFigures,
  Overview,
  PoolFigures,
  WarmPoolSizes,
  WarmPool as WarmPoolView,
} from './api.ts';
import type { Caller, CallOptions } from './wire/caller.ts';
import { connection, dataOf } from './wire/connection.ts';
import type { SignOfLife } from './wire/event-parser.ts';
import { reconnecting } from './wire/reconnecting.ts';

/** The pool of containers ready for conversations to come. Wants a key of scope `admin`. */
export class WarmPool {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  get(options: CallOptions = {}): Promise<WarmPoolView> {
    return this.#caller.json('GET /v1/warm-pool', options);
  }

  set(sizes: WarmPoolSizes, options: CallOptions = {}): Promise<WarmPoolView> {
    return this.#caller.json('PUT /v1/warm-pool', { json: sizes, ...options });
  }
}

/** Everything that the backend runs. Wants a key of scope `admin`. */
export class Containers {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  async list(options: CallOptions = {}): Promise<Container[]> {
    const { containers } = await this.#caller.json('GET /v1/containers', options);
    return containers;
  }

  logs(id: string, { tail, signal }: CallOptions & { tail?: number } = {}): Promise<string> {
    return this.#caller.text('GET /v1/containers/{id}/logs', { params: { id }, query: { tail }, signal });
  }

  /** Kills it at once, without saving its files. */
  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await this.#caller.remove('DELETE /v1/containers/{id}', { params: { id }, ...options });
  }
}

/** What an operator watches. Wants a key of scope `admin`. */
export class Metrics {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** In Prometheus' text format. */
  text(options: CallOptions = {}): Promise<string> {
    return this.#caller.text('GET /metrics', options);
  }

  pools(options: CallOptions = {}): Promise<PoolFigures> {
    return this.#caller.json('GET /metrics/pools', options);
  }

  containers(options: CallOptions = {}): Promise<ContainerFigures> {
    return this.#caller.json('GET /metrics/containers', options);
  }
}

/** How everything stands, of the key's tenant; with a key of scope `admin`, of all. */
export class Overviews {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  get(options: CallOptions = {}): Promise<Overview> {
    return this.#caller.json('GET /v1/overview', options);
  }

  /** As it is now, and again whenever it has changed, at most once a second. Ends with the signal, or who stops reading. */
  watch({ signal }: CallOptions = {}): AsyncGenerator<Overview, void, undefined> {
    const { settings } = this.#caller;
    return reconnecting({ connect: () => this.#events(signal), over: () => false, settings, signal });
  }

  /** Of one connection. */
  async *#events(signal: AbortSignal | undefined): AsyncGenerator<Overview | SignOfLife> {
    const headers = { accept: 'text/event-stream' };
    const events = connection({
      open: (until) => this.#caller.once('GET /v1/overview', { headers, signal: until }),
      signal,
      silenceMs: () => this.#caller.settings.silenceMs,
      answersAtOnce: true,
    });
    for await (const wire of events) {
      if (wire === 'comment') yield wire;
      // The service's own schema, of which these types are made, says what it has.
      else if (wire.event === 'overview') yield dataOf(wire) as unknown as Overview;
    }
  }
}
