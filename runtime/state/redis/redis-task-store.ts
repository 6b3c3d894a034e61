import type { ContainerId } from '../../contracts/ids.ts';
import type { TaskPlace, TaskStore } from '../task-store.ts';
import type { RedisConnection } from './redis-connection.ts';

/** In Redis: two strings for each container, which go by themselves long after it has. */
export class RedisTaskStore implements TaskStore {
  readonly #connection: RedisConnection;
  readonly #stems: { task: string; address: string };
  readonly #keptSeconds: number;

  constructor(
    connection: RedisConnection,
    stems: { task: string; address: string },
    maxLifetimeSeconds: number,
  ) {
    this.#connection = connection;
    this.#stems = stems;
    this.#keptSeconds = Math.ceil(2 * maxLifetimeSeconds);
  }

  async get(container: ContainerId): Promise<TaskPlace | undefined> {
    const [arn, address] = await this.#connection.call('a task', (client) =>
      client.mget(this.#keys(container)),
    );
    if (arn === null || arn === undefined) return undefined;
    return { arn, ...(address === null || address === undefined ? {} : { address }) };
  }

  async put(container: ContainerId, { arn, address }: TaskPlace): Promise<void> {
    const [task, where] = this.#keys(container);
    await this.#connection.call('a task', async (client) => {
      const both = client.multi().set(task, arn, 'EX', this.#keptSeconds);
      if (address === undefined) both.del(where);
      else both.set(where, address, 'EX', this.#keptSeconds);
      await both.exec();
    });
  }

  async forget(container: ContainerId): Promise<void> {
    await this.#connection.call('a task', (client) => client.del(this.#keys(container)));
  }

  #keys(container: ContainerId): [task: string, address: string] {
    return [this.#stems.task + container, this.#stems.address + container];
  }
}
