import type {
  Calls,
  Conversation as ConversationRecord,
  Health,
  Readiness,
  SweepReport,
  SweepRequest,
} from './api.ts';
import { platformSocket } from './attached-terminal.ts';
import { Conversation } from './conversation.ts';
import { Functions } from './functions.ts';
import { Containers, Metrics, Overviews, WarmPool } from './operations.ts';
import { baseAddress } from './wire/address.ts';
import { BerthError } from './wire/berth-error.ts';
import { Caller, type CallOptions, type Fetch } from './wire/caller.ts';
import { pages } from './wire/pages.ts';
import type { OpenSocket } from './wire/terminal-socket.ts';
import { Workspaces } from './workspaces.ts';

export interface BerthOptions {
  /** Where the service is, as `BERTH_URL` of `npm start` has it. */
  url: string;
  key: string;
  /** Another than the platform's. */
  fetch?: Fetch;
  /** Another than the platform's, for terminals. Node before 22 has none. */
  webSocket?: OpenSocket;
  /** How often a call, or a lost stream, is tried again in a row before it fails. 6 */
  retries?: number;
  /** How long the first wait between tries is; each that follows is twice as long, up to 10 s. 500 */
  backoffMs?: number;
  /** After how much silence a stream counts as lost; the service breaks it every 15 s. 45 000 */
  silenceMs?: number;
}

export type ConversationFilter = Pick<Calls['GET /v1/conversations']['query'], 'status'>;

/** A Berth, spoken to with one key. Holds nothing open between calls. */
export class Berth {
  readonly conversations: {
    /** Those that have a container, in order of id. */
    list(options?: ConversationFilter & CallOptions): AsyncGenerator<ConversationRecord, void, undefined>;
  };
  readonly workspaces: Workspaces;
  readonly functions: Functions;
  readonly warmPool: WarmPool;
  readonly containers: Containers;
  readonly metrics: Metrics;
  readonly overview: Overviews;
  readonly #caller: Caller;

  constructor(options: BerthOptions) {
    const { url, key, fetch: given, webSocket: openSocket = platformSocket } = options;
    const { retries = 6, backoffMs = 500, silenceMs = 45_000 } = options;
    if (!/^[\x21-\x7e]+$/.test(key ?? ''))
      throw new BerthError('INVALID_REQUEST', '`key` wants an API key; `berth keys create` makes one');
    const base = baseAddress(url);
    const fetcher: Fetch = given ?? ((address, init) => fetch(address, init));
    const caller = new Caller({ base, key, fetch: fetcher, retries, backoffMs, silenceMs, openSocket });
    this.#caller = caller;
    this.conversations = {
      list: ({ status, signal } = {}) =>
        pages(async (cursor) => {
          const query = { cursor, status };
          const page = await caller.json('GET /v1/conversations', { query, signal });
          return { items: page.conversations, next: page.next_cursor };
        }),
    };
    this.workspaces = new Workspaces(caller);
    this.functions = new Functions(caller);
    this.warmPool = new WarmPool(caller);
    this.containers = new Containers(caller);
    this.metrics = new Metrics(caller);
    this.overview = new Overviews(caller);
  }

  conversation(id: string): Conversation {
    return new Conversation(this.#caller, id);
  }

  /** Whether the service is alive. */
  health(options: CallOptions = {}): Promise<Health> {
    return this.#caller.json('GET /health', options);
  }

  /** Whether it can serve; with an admin key, what it stands on. */
  ready(options: CallOptions = {}): Promise<Readiness> {
    return this.#caller.json('GET /ready', { also: ({ status }) => status === 503, ...options });
  }

  /** Holds what the backend runs against what the store knows, now. Wants a key of scope `admin`. */
  sweep(request: SweepRequest = {}, options: CallOptions = {}): Promise<SweepReport> {
    return this.#caller.json('POST /v1/sweep', { json: request, ...options });
  }
}
