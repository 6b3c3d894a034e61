import type { EgressState } from '../../contracts/egress.ts';
import type { Gate } from '../gate.ts';
import { parseEgressState, parseMcpServers } from '../routes/parse-rules.ts';
import { stateHash } from '../state-hash.ts';
import { type AdminOffers, RefusedCommand } from './admin-server.ts';

const NOTHING_ALLOWED: EgressState = {
  allowed_domains: [],
  mcp_domains: [],
  mcp_servers: {},
  signing: null,
  anthropic: null,
};

/** What the admin side of a single container's proxy offers. */
export function gateCommands(gate: Gate): AdminOffers {
  const commands: Record<string, (body: unknown) => unknown> = {
    'PUT /admin/state': (body) => {
      refusing(() => gate.replace(parseEgressState(body)));
      return {};
    },
    'POST /admin/update-rules': (body) =>
      refusing(() => {
        const mcp_servers = parseMcpServers(body);
        gate.replace({ ...(gate.state ?? NOTHING_ALLOWED), mcp_servers });
        return { updated: Object.keys(mcp_servers).length };
      }),
  };
  return {
    command: (method, path) => {
      const run = commands[`${method} ${path}`];
      return run && { subject: 'rules', run };
    },
    stats: () => ({ ...gate.stats(), state_sha256: stateHash(gate.state) }),
  };
}

/** What is wrong with rules is the caller's to know. */
export function refusing<T>(change: () => T): T {
  try {
    return change();
  } catch (error) {
    throw new RefusedCommand(error instanceof Error ? error.message : String(error));
  }
}
