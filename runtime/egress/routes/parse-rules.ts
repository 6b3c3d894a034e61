import type { AnthropicRule, EgressState, McpRule, SigningRule } from '../../contracts/egress.ts';
import { parseBaseUrl } from './base-url.ts';
import { comparable, neverForwarded } from './forwarded-headers.ts';
import { dictionary, objectOf, RuleError, textOf, textsOf } from './rule-fields.ts';

const MOST_SERVERS = 32;
const MOST_HEADERS = 32;
const MOST_VALUE_BYTES = 8 * 1024;
/** Of all servers together: rules go to a proxy in one message. */
const MOST_BYTES_OF_HEADERS = 256 * 1024;
const MOST_DOMAINS = 1024;

const SERVER_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/;
/** What a header's value may be made of: no control character but the tab, nothing beyond Latin-1. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const SECRET = /^[\x21-\x7e]{1,8192}$/;
const LABEL = /^[a-z0-9-]{1,64}$/;
const DOMAIN = /^[\x21-\x7e\u0080-\uffff]{1,300}$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** Parses all that a proxy is told; throws a `RuleError`. The form of a domain is left to the list it goes on. */
export function parseEgressState(value: unknown): EgressState {
  const state = objectOf(value, 'the state', [
    'allowed_domains',
    'mcp_domains',
    'mcp_servers',
    'signing',
    'anthropic',
  ]);
  const domains = (field: 'allowed_domains' | 'mcp_domains'): string[] =>
    textsOf(state[field], field, MOST_DOMAINS, DOMAIN, 'a domain of at most 300 characters');
  return {
    allowed_domains: domains('allowed_domains'),
    mcp_domains: domains('mcp_domains'),
    mcp_servers: parseMcpServers(state.mcp_servers),
    signing: state.signing === null ? null : parseSigning(state.signing),
    anthropic: state.anthropic === null ? null : parseAnthropic(state.anthropic),
  };
}

/** Parses MCP servers by their names; throws a `RuleError`. */
export function parseMcpServers(value: unknown): Record<string, McpRule> {
  const servers = Object.entries(dictionary(value, 'mcp_servers'));
  if (servers.length > MOST_SERVERS) {
    throw new RuleError(`mcp_servers must have at most ${MOST_SERVERS} servers`);
  }
  const rules = servers.map(([name, rule]): [string, McpRule] => [name, parseMcpRule(name, rule)]);
  const bytes = rules.flatMap(([, { headers }]) => Object.entries(headers).flat()).join('').length;
  if (bytes > MOST_BYTES_OF_HEADERS) {
    throw new RuleError('mcp_servers must have at most 256 KiB of headers in all');
  }
  return Object.fromEntries(rules);
}

function parseMcpRule(name: string, value: unknown): McpRule {
  if (!SERVER_NAME.test(name)) {
    throw new RuleError(
      'mcp_servers: the name of a server must be 1 to 64 letters, digits, hyphens and underscores, a letter or digit first',
    );
  }
  const field = `mcp_servers.${name}`;
  const { real_base_url, headers } = objectOf(value, field, ['real_base_url', 'headers']);
  return {
    real_base_url: parseAddress(real_base_url, `${field}.real_base_url`),
    headers: parseHeaders(headers, `${field}.headers`),
  };
}

function parseHeaders(value: unknown, field: string): Record<string, string> {
  const headers = Object.entries(dictionary(value, field));
  if (headers.length > MOST_HEADERS)
    throw new RuleError(`${field} must have at most ${MOST_HEADERS} headers`);
  const names = new Set(headers.map(([name]) => comparable(name)));
  if (names.size < headers.length) throw new RuleError(`${field} has one header twice`);
  return Object.fromEntries(
    headers.map(([name, content]) => {
      if (!HEADER_NAME.test(name)) throw new RuleError(`${field} has a name that no header can have`);
      if (neverForwarded(name)) throw new RuleError(`${field}.${name} is a header that only the proxy sets`);
      if (typeof content !== 'string' || content.length > MOST_VALUE_BYTES || !HEADER_VALUE.test(content)) {
        throw new RuleError(
          `${field}.${name} must be a text of at most 8 KiB in Latin-1 without line breaks or control characters`,
        );
      }
      return [name, content];
    }),
  );
}

function parseSigning(value: unknown): SigningRule {
  const rule = objectOf(value, 'signing', ['service', 'region', 'base_url', 'credentials']);
  const field = 'signing.credentials';
  const credentials = objectOf(rule.credentials, field, [
    'access_key_id',
    'secret_access_key',
    'session_token',
    'expires_at',
  ]);
  const secret = (name: 'access_key_id' | 'secret_access_key' | 'session_token'): string =>
    textOf(credentials[name], `${field}.${name}`, SECRET, '1 to 8192 printable characters without blanks');
  const wantedInstant = 'a time such as 2027-01-31T12:00:00Z';
  const expiresAt = textOf(credentials.expires_at, `${field}.expires_at`, INSTANT, wantedInstant);
  if (Number.isNaN(Date.parse(expiresAt)))
    throw new RuleError(`${field}.expires_at must be ${wantedInstant}`);
  const label = 'lower-case letters, digits and hyphens';
  return {
    service: textOf(rule.service, 'signing.service', LABEL, label),
    region: textOf(rule.region, 'signing.region', LABEL, label),
    base_url: parseAddress(rule.base_url, 'signing.base_url'),
    credentials: {
      access_key_id: secret('access_key_id'),
      secret_access_key: secret('secret_access_key'),
      session_token: secret('session_token'),
      expires_at: expiresAt,
    },
  };
}

function parseAnthropic(value: unknown): AnthropicRule {
  const { base_url, api_key } = objectOf(value, 'anthropic', ['base_url', 'api_key']);
  const wanted = '1 to 8192 printable characters without blanks';
  return {
    base_url: parseAddress(base_url, 'anthropic.base_url'),
    api_key: textOf(api_key, 'anthropic.api_key', SECRET, wanted),
  };
}

/** Not quoted in the error: people put keys into addresses. */
function parseAddress(value: unknown, field: string): string {
  if (typeof value === 'string' && parseBaseUrl(value) !== undefined) return value;
  throw new RuleError(
    `${field} must be an http:// or https:// address of at most 2048 characters, without user information, query or fragment`,
  );
}
