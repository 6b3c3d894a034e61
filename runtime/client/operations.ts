import type {
  Container,
  ContainerFigures,
  PoolFigures,
  WarmPoolSizes,
  WarmPool as WarmPoolView,
} from './api.ts';
import type { Caller, CallOptions } from './wire/caller.ts';

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
