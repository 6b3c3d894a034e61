import {
  type EgressSettingsStore,
  SETTINGS_KEPT_SECONDS,
  type SettingsOwner,
} from '../egress-settings-store.ts';
import type { RedisConnection } from './redis-connection.ts';

/** In Redis: a string for each conversation. */
export class RedisEgressSettingsStore implements EgressSettingsStore {
  readonly #connection: RedisConnection;
  readonly #stem: string;

  constructor(connection: RedisConnection, stem: string) {
    this.#connection = connection;
    this.#stem = stem;
  }

  async get(owner: SettingsOwner): Promise<string | undefined> {
    const key = this.#key(owner);
    return (await this.#connection.call('egress settings', (client) => client.get(key))) ?? undefined;
  }

  async put(owner: SettingsOwner, sealed: string): Promise<void> {
    const key = this.#key(owner);
    await this.#connection.call('egress settings', (client) =>
      client.set(key, sealed, 'EX', SETTINGS_KEPT_SECONDS),
    );
  }

  async fill(owner: SettingsOwner, sealed: string): Promise<void> {
    const key = this.#key(owner);
    await this.#connection.call('egress settings', (client) =>
      client.set(key, sealed, 'EX', SETTINGS_KEPT_SECONDS, 'NX'),
    );
  }

  #key({ tenant, conversation }: SettingsOwner): string {
    return `${this.#stem}${tenant}:${conversation}`;
  }
}
