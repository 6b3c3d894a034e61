import type { EgressSettingsStore, SettingsOwner } from '../egress-settings-store.ts';
import { nameOf } from './memory-state.ts';

const MOST_KNOWN = 10_000;

/** In this process: one entry for each conversation that had a container or settings. */
export class MemoryEgressSettingsStore implements EgressSettingsStore {
  readonly #known = new Map<string, string>();

  async get({ tenant, conversation }: SettingsOwner): Promise<string | undefined> {
    return this.#known.get(nameOf(tenant, conversation));
  }

  async put({ tenant, conversation }: SettingsOwner, sealed: string): Promise<void> {
    const name = nameOf(tenant, conversation);
    this.#known.delete(name);
    this.#known.set(name, sealed);
    if (this.#known.size > MOST_KNOWN) this.#forgetOldest();
  }

  async fill(owner: SettingsOwner, sealed: string): Promise<void> {
    if (!this.#known.has(nameOf(owner.tenant, owner.conversation))) await this.put(owner, sealed);
  }

  #forgetOldest(): void {
    const [oldest] = this.#known.keys();
    if (oldest !== undefined) this.#known.delete(oldest);
  }
}
