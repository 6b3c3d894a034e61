import type { AnthropicRule, EgressState, SigningRule } from '../contracts/egress.ts';
import { BerthError } from '../contracts/errors.ts';
import { AllowList, covers } from '../egress/verdict/allow-list.ts';
import type { SettingsOwner } from '../state/egress-settings-store.ts';
import type { ConversationEgressSettings, EgressSettings } from './egress-settings.ts';

export interface OperatorRules {
  /** For who has no list of its own. */
  allowedDomains: readonly string[];
  /** The most that a conversation may allow itself. */
  ceiling: readonly string[];
  anthropic: AnthropicRule | null;
}

/** What a container may reach: the operator's rules, and its conversation's within them. */
export class EgressRules {
  readonly #operator: OperatorRules;
  readonly #ceiling: AllowList;
  readonly settings: ConversationEgressSettings;
  readonly #signing: () => SigningRule | null;

  /** Throws at an entry that is none. */
  constructor(
    operator: OperatorRules,
    settings: ConversationEgressSettings,
    signing: () => SigningRule | null,
  ) {
    new AllowList(operator.allowedDomains);
    this.#ceiling = new AllowList(operator.ceiling);
    this.#operator = operator;
    this.settings = settings;
    this.#signing = signing;
  }

  /** Of a container that belongs to nobody yet: the operator's alone. */
  async stateFor(owner: SettingsOwner | undefined): Promise<EgressState> {
    const own = owner && (await this.settings.of(owner));
    const { allowedDomains, ceiling, anthropic } = this.#operator;
    return {
      // The operator may have lowered the ceiling since.
      allowed_domains: own?.allowedDomains?.filter((entry) => covers(this.#ceiling, entry)) ?? [
        ...allowedDomains,
      ],
      mcp_domains: [...ceiling],
      mcp_servers: own?.mcpServers ?? {},
      signing: this.#signing(),
      anthropic,
    };
  }

  /** Throws `FORBIDDEN` for what is beyond the ceiling, `INVALID_REQUEST` for what is no entry. */
  check({ allowedDomains = [], mcpServers = {} }: Partial<EgressSettings>): void {
    for (const entry of allowedDomains) {
      if (!this.#covers(entry, `allowed_domains`)) throw beyond(`the domain ${entry}`);
    }
    for (const [name, { real_base_url }] of Object.entries(mcpServers)) {
      const { hostname, port, protocol } = new URL(real_base_url);
      const entry = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
      const allowed = this.#covers(entry, `mcp_servers.${name}`) || this.#covers(`internal:${entry}`, name);
      if (!allowed) throw beyond(`the MCP server ${name}, at ${entry},`);
    }
  }

  #covers(entry: string, path: string): boolean {
    try {
      return covers(this.#ceiling, entry);
    } catch (error) {
      const message = error instanceof Error ? error.message : 'it is no host';
      throw new BerthError('INVALID_REQUEST', message, { errors: [{ path, message }] }, error);
    }
  }
}

function beyond(what: string): BerthError {
  return new BerthError('FORBIDDEN', `${what} is beyond what the operator allows (EGRESS_CEILING_DOMAINS)`);
}
