import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { z } from 'zod';
import type { RedisConnection } from './redis-connection.ts';
import { wakeKey } from './redis-keys.ts';
import { SlotOwner } from './slot-owner.ts';

const BLOCK_MS = 5_000;
/** A wait ends after this long in any case, so that none outlives a stream that is gone. */
const LONGEST_WAIT_MS = 5_000;
/** A connection that is silent for this long, though it blocks for less, is given up for a new one. */
const SILENCE_MS = BLOCK_MS + 2_000;
const PAUSE_AFTER_FAILURE_MS = 500;
const LONGEST_BACKOFF_MS = 1_000;
/** A call names every stream, so many of them are asked about less often: 1,000 a hundred times a second. */
const STREAMS_PER_MS = 100;
/** The wake-up stream goes by itself when its reader is gone. */
const WAKE_KEPT_MS = 60_000;

interface Wait {
  stream: string;
  /** The id of the last entry that is known. */
  after: string;
  since: number;
  end: () => void;
}

/**
 * Waits for new entries in any number of streams over one connection, which blocks. It is opened when someone first
 * waits, and comes back by itself; while it is away, waits end after a pause, for nobody knows what came meanwhile.
 * A stream of its own is read along with the others: an entry there ends the call, so that a new wait joins the next.
 */
export class StreamWaits {
  readonly #url: string;
  readonly #connection: RedisConnection;
  readonly #wakeKey: string;
  readonly #waits = new Set<Wait>();
  readonly #closing = new AbortController();
  #client: Redis | undefined;
  #lastWake = '0-0';
  #reading = false;
  /** A call is under way, which does not name who waits since. */
  #blocked = false;
  #wakeSent = false;

  constructor(options: { url: string; keyPrefix: string; connection: RedisConnection }) {
    this.#url = options.url;
    this.#connection = options.connection;
    this.#wakeKey = wakeKey(options.keyPrefix, randomBytes(8).toString('hex'));
  }

  /** Resolves when an entry may have come after this one; rejects when the signal aborts. */
  async wait(stream: string, after: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#closing.signal.aborted) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const wait: Wait = { stream, after, since: performance.now(), end: resolve };
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#waits.add(wait);
    this.#join();
    await promise.finally(() => {
      this.#waits.delete(wait);
      signal.removeEventListener('abort', onAbort);
    });
  }

  close(): void {
    this.#closing.abort();
    this.#client?.disconnect();
    for (const wait of this.#waits) wait.end();
  }

  #join(): void {
    if (!this.#reading) {
      this.#reading = true;
      void this.#read();
    } else if (this.#blocked && !this.#wakeSent) {
      this.#wakeSent = true;
      void this.#wake();
    }
  }

  /** Failing that, the call under way ends by itself in seconds. */
  async #wake(): Promise<void> {
    await this.#connection
      .call('wake', (client) =>
        client
          .pipeline()
          .xadd(this.#wakeKey, 'MAXLEN', '1', '*', 'wake', '1')
          .pexpire(this.#wakeKey, WAKE_KEPT_MS)
          .exec(),
      )
      .catch(() => {});
  }

  /** Reads as long as anyone waits. */
  async #read(): Promise<void> {
    while (this.#waits.size > 0 && !this.#closing.signal.aborted) {
      const news = await this.#block().catch(() => undefined);
      const pause = news ? news.asked / STREAMS_PER_MS : PAUSE_AFTER_FAILURE_MS;
      if (pause >= 1) await sleep(pause, undefined, { signal: this.#closing.signal }).catch(() => {});
      const tooLong = performance.now() - LONGEST_WAIT_MS;
      for (const wait of this.#waits) {
        if (news && !news.streams.has(wait.stream) && wait.since > tooLong) continue;
        this.#waits.delete(wait);
        wait.end();
      }
    }
    this.#reading = false;
  }

  /** Which streams have something new; none when the time is up, or for a wake-up. */
  async #block(): Promise<{ streams: Set<string>; asked: number }> {
    const client = await this.#connected();
    // From here to the call nothing waits, so that every wait is in it or wakes it.
    const known = this.#known();
    this.#blocked = true;
    this.#wakeSent = false;
    try {
      const keys = [this.#wakeKey, ...known.keys()];
      const ids = [this.#lastWake, ...known.values()];
      const reply = XREAD.parse(
        await client.xread('COUNT', 1, 'BLOCK', BLOCK_MS, 'STREAMS', ...keys, ...ids),
      );
      const wake = reply.find(([stream]) => stream === this.#wakeKey);
      this.#lastWake = wake?.[1].at(-1)?.[0] ?? this.#lastWake;
      return { streams: new Set(reply.map(([stream]) => stream)), asked: known.size };
    } finally {
      this.#blocked = false;
    }
  }

  /** Every awaited stream, with the earliest of the entries after which someone waits. */
  #known(): Map<string, string> {
    const known = new Map<string, string>();
    for (const { stream, after } of this.#waits) {
      const other = known.get(stream);
      if (other === undefined || Number.parseInt(after, 10) < Number.parseInt(other, 10))
        known.set(stream, after);
    }
    return known;
  }

  async #connected(): Promise<Redis> {
    if (this.#client === undefined) {
      const owner = new SlotOwner(this.#url);
      this.#client = new Redis(this.#url, {
        lazyConnect: true,
        enableOfflineQueue: false,
        autoResendUnfulfilledCommands: false,
        maxRetriesPerRequest: 0,
        connectTimeout: 1_500,
        socketTimeout: SILENCE_MS,
        disconnectTimeout: 200,
        retryStrategy: (attempt) =>
          Math.min(25 * 2 ** attempt, LONGEST_BACKOFF_MS) * (0.5 + Math.random() / 2),
        ...owner.options,
      });
      owner.lead(this.#client);
      // The calls tell that it is away, and the store's own connection says so to its owner.
      this.#client.on('error', () => {});
      await this.#client.connect();
      await owner.find(this.#wakeKey);
    }
    return this.#client;
  }
}

const XREAD = z
  .array(z.tuple([z.string(), z.array(z.tuple([z.string(), z.array(z.string())]))]))
  .nullable()
  .transform((reply) => reply ?? []);
