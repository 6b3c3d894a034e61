import { Redis } from 'ioredis';
import { expect } from 'vitest';
import { CONNECTION_SILENT_SECONDS } from '../../runtime/state/activity-store.ts';
import { redisKeys } from '../../runtime/state/redis/redis-keys.ts';
import { eventually } from './cluster.ts';

/** What Redis knows of who uses the workspaces of an installation, where time can be moved. */
export class WorkspaceActivity implements Disposable {
  readonly client: Redis;
  readonly #keys: ReturnType<typeof redisKeys>;

  constructor(url: string, installation: string) {
    this.client = new Redis(url);
    this.#keys = redisKeys(`${installation}:`);
  }

  /** Nothing was forgotten for so long that every connection has been heard of. */
  async isKnownForLong(): Promise<void> {
    await this.client.set(this.#keys.activitySince, '1');
  }

  /** Whether it was asked who is connected, since that was forgotten or `isKnownForLong`. */
  async wasAsked(): Promise<boolean> {
    return (await this.client.pttl(this.#keys.activitySince)) > 0;
  }

  /** Until it was asked twice: all that followed from the first has been said by the second. */
  async looks(): Promise<void> {
    for (const _ of ['first', 'second']) {
      await this.isKnownForLong();
      await eventually(async () => expect(await this.wasAsked()).toBe(true));
    }
  }

  connections(workspace: string): Promise<number> {
    return this.client.zcard(this.#keys.connections + workspace);
  }

  /** As if no connection had been heard of for as long as is waited for one. */
  async silence(workspace: string): Promise<void> {
    const key = this.#keys.connections + workspace;
    for (const member of await this.client.zrange(key, '0', '-1')) {
      await this.client.zincrby(key, -CONNECTION_SILENT_SECONDS * 1000, member);
    }
  }

  [Symbol.dispose](): void {
    this.client.disconnect();
  }
}
