import type { SigningRule } from '../contracts/egress.ts';
import type { Config } from '../contracts/environment.ts';
import { EgressRules } from '../egress-host/egress-rules.ts';
import { ConversationEgressSettings } from '../egress-host/egress-settings.ts';
import { StartFailure } from '../lifecycle/start-failure.ts';
import type { Foundation } from './open-foundation.ts';

interface Given extends Pick<Foundation, 'state' | 'objects' | 'secret'> {
  config: Config;
  /** With what calls of models are signed now. */
  signing?: () => SigningRule | null;
}

/** What containers may reach: as the operator configured it, and as conversations want it. */
export function egressRules({ config, state, objects, secret, signing = () => null }: Given): EgressRules {
  const settings = new ConversationEgressSettings({ copies: state.egressSettings, objects, secret });
  const { EGRESS_ALLOWED_DOMAINS: allowedDomains, ANTHROPIC_API_KEY: api_key } = config;
  const ceiling = config.EGRESS_CEILING_DOMAINS ?? allowedDomains;
  const anthropic = api_key === undefined ? null : { api_key, base_url: config.ANTHROPIC_API_URL };
  try {
    return new EgressRules({ allowedDomains, ceiling, anthropic }, settings, signing);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StartFailure(`EGRESS_ALLOWED_DOMAINS or EGRESS_CEILING_DOMAINS: ${why}`, 2, error);
  }
}
