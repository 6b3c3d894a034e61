import { Redis } from 'ioredis';
import { startPrivateRedis } from '../support/services/private-redis.ts';
import type { BenchSetting } from './bench-setting.ts';

/** A Redis that nobody else speaks to, so that everything it counts is the caller's doing. */
export class CountingRedis implements AsyncDisposable {
  readonly url: string;
  readonly #stop: () => Promise<void>;
  readonly #client: Redis;

  private constructor(url: string, stop: () => Promise<void>) {
    this.url = url;
    this.#stop = stop;
    this.#client = new Redis(url);
  }

  static async start({ redisServer, folder }: BenchSetting): Promise<CountingRedis> {
    const { url, stop } = await startPrivateRedis(redisServer, folder);
    return new CountingRedis(url, stop);
  }

  /** Open connections, this one among them. */
  async connections(): Promise<number> {
    return String(await this.#client.client('LIST'))
      .trim()
      .split('\n').length;
  }

  /** What it has allocated, in bytes. */
  async memory(): Promise<number> {
    return Number(/^used_memory:(\d+)/m.exec(await this.#client.info('memory'))?.[1]);
  }

  /** As their expiry would. */
  async forget(keys: string): Promise<void> {
    for (const key of await this.#client.keys(keys)) await this.#client.del(key);
  }

  /** Commands that it carries out during the action, those within scripts too. */
  async callsOf(action: () => Promise<unknown>): Promise<number> {
    await this.#client.config('RESETSTAT');
    await action();
    const stats = await this.#client.info('commandstats');
    const own = /^cmdstat_(info|config)/;
    const lines = stats.split('\r\n').filter((line) => line.startsWith('cmdstat_') && !own.test(line));
    return lines.reduce((sum, line) => sum + Number(/calls=(\d+)/.exec(line)?.[1]), 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.disconnect();
    await this.#stop();
  }
}
