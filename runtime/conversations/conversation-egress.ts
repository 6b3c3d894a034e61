import type { ConversationRecord } from '../contracts/conversation-record.ts';
import type { ContainerEgress } from '../egress-host/container-egress.ts';
import type { EgressRules } from '../egress-host/egress-rules.ts';
import type { EgressSettings } from '../egress-host/egress-settings.ts';
import type { ConversationStore } from '../state/conversation-store.ts';
import type { SettingsOwner } from '../state/egress-settings-store.ts';

interface Parts {
  store: ConversationStore;
  rules: EgressRules;
  egress: ContainerEgress;
}

/** What a conversation lets out of its container, in its own way within the operator's. */
export class ConversationEgress {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Of a conversation with none of its own: no list, no servers. */
  async show(owner: SettingsOwner): Promise<EgressSettings> {
    return (await this.#parts.rules.settings.of(owner)) ?? { mcpServers: {} };
  }

  /** From now on, also where a container runs. Throws `FORBIDDEN` for what is beyond the operator's ceiling. */
  async change(owner: SettingsOwner, change: Partial<EgressSettings>): Promise<EgressSettings> {
    const { store, rules } = this.#parts;
    rules.check(change);
    const settings = await rules.settings.change(owner, change);
    const record = await store.get(owner.tenant, owner.conversation);
    if (record !== undefined && record.status !== 'draining') await this.#apply(record);
    return settings;
  }

  /** One that is being prepared may not be there yet; who prepares it then reads the settings as they are by now. */
  async #apply(record: ConversationRecord): Promise<void> {
    try {
      await this.#parts.egress.open(record.container, record);
    } catch (error) {
      if (record.status !== 'preparing') throw error;
    }
  }

  /** Throws as `change` does, and changes nothing. */
  check(change: Partial<EgressSettings>): void {
    this.#parts.rules.check(change);
  }
}
