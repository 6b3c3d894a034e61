import { OwnSchema } from '../../contract/database/database-under-test.ts';
import type { PrivateRedis } from '../services/private-redis.ts';
import { objectStore, postgres, startRedis } from '../services/provided.ts';

/** Redis, Postgres and S3 of one page alone. */
export class SharedStores {
  readonly #redis: PrivateRedis;
  readonly #schema: OwnSchema;
  readonly #objects: string;

  private constructor(redis: PrivateRedis, schema: OwnSchema, own: string) {
    this.#redis = redis;
    this.#schema = schema;
    this.#objects = `${objectStore().url}/${own}`;
  }

  static async open(own: string): Promise<SharedStores> {
    return new SharedStores(await startRedis(), await OwnSchema.make(postgres().url), own);
  }

  /** As the service reads them. */
  get variables(): Record<string, string> {
    return { REDIS_URL: this.#redis.url, DATABASE_URL: this.#schema.url, OBJECT_STORE_URL: this.#objects };
  }

  /** What the S3 of a run wants besides. */
  get credentials(): Record<string, string> {
    return objectStore().env;
  }

  /** What pages call them, and what they are. */
  get documented(): Record<string, string> {
    return {
      'redis://redis:6379': this.#redis.url,
      'postgres://berth@postgres/berth': `'${this.#schema.url}'`,
      's3://my-bucket/berth': this.#objects,
      'AWS_REGION=eu-central-1': `AWS_REGION=${objectStore().env.AWS_REGION}`,
    };
  }

  async close(): Promise<void> {
    await this.#redis.stop();
    await this.#schema.remove();
  }
}
