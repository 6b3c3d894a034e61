import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { openRedisState } from '../../../runtime/state/redis/open-redis-state.ts';
import type { State } from '../../../runtime/state/state.ts';
import type { PrivateRedis } from '../../support/services/private-redis.ts';
import { startRedis } from '../../support/services/provided.ts';
import { SETTINGS } from './fleet.ts';

/** A Redis of one test file's own, empty before each test. */
export class EmptiedRedis {
  #server: PrivateRedis | undefined;
  #client: Redis | undefined;
  #state: State | undefined;

  constructor() {
    beforeAll(async () => {
      this.#server = await startRedis();
      this.#client = new Redis(this.#server.url);
      this.#state = openRedisState({
        url: this.#server.url,
        maxLifetimeSeconds: SETTINGS.ttl.maxLifetimeSeconds,
      });
    });
    beforeEach(() => this.empty());
    afterAll(async () => {
      await this.#state?.close();
      this.#client?.disconnect();
      await this.#server?.stop();
    });
  }

  get state(): State {
    if (this.#state === undefined) throw new Error('the store is there within tests only');
    return this.#state;
  }

  /** As after a restart with its data: nobody knows how old they are. */
  async forgetEpoch(): Promise<void> {
    await this.#client?.del('workspace:epoch');
  }

  /** Loses everything, under the feet of whoever uses it. */
  async empty(): Promise<void> {
    await this.#client?.flushall();
  }
}
