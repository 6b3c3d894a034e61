import { Redis } from 'ioredis';
import type { RedisConnection } from './redis-connection.ts';
import { SlotOwner } from './slot-owner.ts';

const KEEP_ALIVE_MS = 10_000;
const LONGEST_BACKOFF_MS = 1_000;

export type HintListener = (message: string | undefined) => void;

/**
 * Hints over pub/sub, heard on a connection of their own, which is opened when someone first listens and comes back by
 * itself. What was said while it was away is not known, so that its coming back is a hint as well: of `undefined`.
 */
export class RedisHints {
  readonly #url: string;
  readonly #channel: string;
  readonly #connection: RedisConnection;
  readonly #listeners = new Set<HintListener>();
  #client: Redis | undefined;

  constructor(options: { url: string; channel: string; connection: RedisConnection }) {
    this.#url = options.url;
    this.#channel = options.channel;
    this.#connection = options.connection;
  }

  /** One that is lost costs time only. */
  hint(): void {
    this.#connection.call('hint', (client) => client.publish(this.#channel, '')).catch(() => {});
  }

  onHint(listener: HintListener): () => void {
    this.#client ??= this.#subscribe();
    // An own function each time, so that one who listens twice stops once at a time.
    const told: HintListener = (message) => listener(message);
    this.#listeners.add(told);
    return () => this.#listeners.delete(told);
  }

  close(): void {
    this.#listeners.clear();
    this.#client?.disconnect();
  }

  #subscribe(): Redis {
    const client = new Redis(this.#url, {
      autoResubscribe: false,
      maxRetriesPerRequest: 0,
      connectTimeout: 1_500,
      disconnectTimeout: 200,
      keepAlive: KEEP_ALIVE_MS,
      retryStrategy: (attempt) => Math.min(25 * 2 ** attempt, LONGEST_BACKOFF_MS) * (0.5 + Math.random() / 2),
      ...new SlotOwner(this.#url).options,
    });
    // The store's own connection tells its owner that Redis is away.
    client.on('error', () => {});
    client.on('ready', () => {
      client.subscribe(this.#channel).then(
        () => this.#tell(undefined),
        () => client.disconnect(true),
      );
    });
    client.on('message', (_channel, message) => this.#tell(message));
    return client;
  }

  #tell(message: string | undefined): void {
    for (const told of this.#listeners) told(message);
  }
}
