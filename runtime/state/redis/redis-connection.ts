import { Redis } from 'ioredis';
import { BerthError } from '../../contracts/errors.ts';
import { isReplyError } from './reply-error.ts';
import { SlotOwner } from './slot-owner.ts';

/** A call fails after this long, whatever it waits for: the port promises 2 s. */
const CALL_MS = 1_800;
/** A connection that owes an answer and is silent for this long is given up for a new one. */
const SILENCE_MS = 1_500;
const LONGEST_BACKOFF_MS = 1_000;

/** What a server says that cannot serve now, though it may soon. */
const UNAVAILABLE =
  /^(LOADING|READONLY|MOVED|ASK|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|OOM|MISCONF|NOREPLICAS|NOAUTH|WRONGPASS|NOPERM)\b/;

export interface RedisConnectionOptions {
  /** `redis://` or `rediss://`. */
  url: string;
  /** With a hash tag (`{berth}:`) on a cluster. Default: none. */
  keyPrefix?: string;
  /** Told of every failure to connect, and of every connection lost. */
  onError?: (error: Error) => void;
}

/**
 * One connection, which comes back by itself. While it is away calls fail at once: none is queued, and
 * none is sent twice. One that failed may have been carried out.
 */
export class RedisConnection {
  readonly #client: Redis;
  readonly #firstAttempt: Promise<void>;
  #lastError: Error | undefined;

  constructor({ url, keyPrefix = '', onError }: RedisConnectionOptions) {
    const owner = new SlotOwner(url);
    this.#client = new Redis(url, {
      lazyConnect: true,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      connectTimeout: SILENCE_MS,
      socketTimeout: SILENCE_MS,
      disconnectTimeout: 200,
      maxLoadingRetryTime: 1_000,
      retryStrategy: (attempt) => Math.min(25 * 2 ** attempt, LONGEST_BACKOFF_MS) * (0.5 + Math.random() / 2),
      ...owner.options,
    });
    owner.lead(this.#client);
    this.#client.on('error', (error: Error) => {
      this.#lastError = error;
      onError?.(error);
    });
    this.#client.on('ready', () => {
      this.#lastError = undefined;
    });
    // How it failed is told by the `error` event and by every call; reconnecting goes on.
    this.#firstAttempt = this.#client
      .connect()
      .then(() => owner.find(`${keyPrefix}workspace:epoch`))
      .catch(() => {});
  }

  /** Runs commands as one call. Calls made right after the start wait for the first attempt to connect. */
  async call<Reply>(what: string, commands: (client: Redis) => Promise<Reply>): Promise<Reply> {
    try {
      return await within(
        CALL_MS,
        this.#firstAttempt.then(() => commands(this.#client)),
      );
    } catch (error) {
      throw this.#explain(what, error);
    }
  }

  close(): void {
    this.#client.disconnect();
  }

  #explain(what: string, error: unknown): BerthError {
    if (isReplyError(error, /^CROSSSLOT/)) {
      const detail = 'Redis is a cluster: set REDIS_KEY_PREFIX to one with a hash tag, such as {berth}:';
      return new BerthError('INTERNAL', detail, {}, error);
    }
    if (isReplyError(error) && !isReplyError(error, UNAVAILABLE)) {
      return new BerthError('INTERNAL', `Redis refused "${what}".`, {}, error);
    }
    const cause = this.#client.status === 'ready' ? error : (this.#lastError ?? error);
    return new BerthError('STORE_UNAVAILABLE', `Redis did not answer "${what}".`, {}, cause);
  }
}

async function within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no answer in ${ms} ms`)), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
