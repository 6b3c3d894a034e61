import { z } from 'zod';
import type { McpRule } from '../../contracts/egress.ts';
import { BerthError } from '../../contracts/errors.ts';
import { parseMcpServers } from '../../egress/routes/parse-rules.ts';
import type { EgressSettings } from '../../egress-host/egress-settings.ts';
import type { RefusalView } from '../../overview/overview.ts';
import { refusal } from './overview-schemas.ts';

export const mcpServers = z
  .record(
    z.string(),
    z.strictObject({
      url: z
        .string()
        .meta({ description: 'Base address, `https://` unless the operator marked the host `internal:`' }),
      headers: z.record(z.string(), z.string()).default({}).meta({
        description: 'Added to every request to this server. Kept sealed; the container never sees them.',
      }),
    }),
  )
  .meta({
    description: 'By name. Runners reach each at `/mcp/{name}/` of their egress proxy.',
    examples: [{ tickets: { url: 'https://mcp.example.com/v1', headers: { Authorization: 'Bearer …' } } }],
  });

export const egressBody = z
  .strictObject({
    allowed_domains: z
      .array(z.string().min(1).max(300))
      .max(500)
      .nullable()
      .optional()
      .meta({
        description: 'In place of what the operator allows to all; null: that again',
        examples: [['pypi.org', '.pythonhosted.org']],
      }),
    mcp_servers: mcpServers.optional(),
  })
  .meta({ id: 'EgressRequest' });

export const shownEgress = z
  .object({
    allowed_domains: z
      .array(z.string())
      .nullable()
      .meta({ description: "Null: the operator's own list holds" }),
    mcp_servers: z.record(z.string(), z.object({ url: z.string(), header_names: z.array(z.string()) })),
    recent_refusals: z.array(refusal).nullable().meta({
      description:
        'What the proxy refused it last, as this instance heard, the newest first; null where proxies beside containers tell only how many',
    }),
  })
  .meta({ id: 'Egress' });

export function egressOf(
  { allowedDomains, mcpServers: servers }: EgressSettings,
  refusals: RefusalView[] | undefined,
): z.output<typeof shownEgress> {
  return {
    recent_refusals: refusals ?? null,
    allowed_domains: allowedDomains === undefined ? null : [...allowedDomains],
    mcp_servers: Object.fromEntries(
      Object.entries(servers).map(([name, { real_base_url, headers }]) => [
        name,
        { url: real_base_url, header_names: Object.keys(headers) },
      ]),
    ),
  };
}

/** As the proxy takes them. Throws `INVALID_REQUEST`, without a header's value in it. */
export function mcpRules(servers: z.output<typeof mcpServers>): Record<string, McpRule> {
  try {
    return parseMcpServers(
      Object.fromEntries(
        Object.entries(servers).map(([name, { url, headers }]) => [name, { real_base_url: url, headers }]),
      ),
    );
  } catch (error) {
    const message = (error instanceof Error ? error.message : 'is not valid').replaceAll(
      'real_base_url',
      'url',
    );
    throw new BerthError('INVALID_REQUEST', message, { errors: [{ path: 'mcp_servers', message }] }, error);
  }
}
