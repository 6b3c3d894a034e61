import { describe, expect, it } from 'vitest';
import { parseEgressState, parseMcpServers } from '../../../../runtime/egress/routes/parse-rules.ts';
import { RuleError } from '../../../../runtime/egress/routes/rule-fields.ts';
import { egressState, signingRule } from './egress-state.ts';

const server = (parts: object = {}): object => ({
  real_base_url: 'https://a.example/mcp',
  headers: {},
  ...parts,
});

describe('parsing what a proxy is told', () => {
  it('takes a whole state as it is', () => {
    const state = egressState({
      allowed_domains: ['pypi.org', '.example.com', 'internal:cache:8080'],
      mcp_domains: ['mcp.example.com'],
      mcp_servers: { tools: { real_base_url: 'https://a.example', headers: { 'X-Key': 'a b\té' } } },
      signing: signingRule(),
      anthropic: { base_url: 'https://api.anthropic.com', api_key: 'key' },
    });
    expect(parseEgressState(JSON.parse(JSON.stringify(state)))).toEqual(state);
  });

  it.each([
    [[], 'the state must be an object'],
    [null, 'the state must be an object'],
    [{}, 'the state lacks allowed_domains'],
    [{ ...egressState(), extra: 1 }, 'the state has fields besides'],
    [{ ...egressState(), allowed_domains: 'a' }, 'allowed_domains must be a list'],
    [{ ...egressState(), mcp_domains: ['a', 7] }, 'mcp_domains[1] must be'],
    [{ ...egressState(), allowed_domains: ['a\nb'] }, 'allowed_domains[0] must be'],
    [{ ...egressState(), signing: undefined }, 'signing must be an object'],
    [{ ...egressState(), signing: { ...signingRule(), region: 'us east' } }, 'signing.region must be'],
    [{ ...egressState(), signing: signingRule({ base_url: 'ftp://a' }) }, 'signing.base_url must be'],
    [
      { ...egressState(), anthropic: { base_url: 'https://a', api_key: 'a\nb' } },
      'anthropic.api_key must be',
    ],
    [{ ...egressState(), anthropic: { base_url: 'https://a' } }, 'anthropic lacks api_key'],
  ])('refuses %j, naming the field', (value, message) => {
    expect(() => parseEgressState(value)).toThrow(message);
    expect(() => parseEgressState(value)).toThrow(RuleError);
  });

  it.each([
    ['access_key_id', ''],
    ['secret_access_key', 'a b'],
    ['session_token', undefined],
    ['expires_at', 'soon'],
    ['expires_at', '2027-13-31T12:00:00Z'],
  ])('wants all credentials: not %s as %j', (name, value) => {
    const rule = signingRule();
    const signing = { ...rule, credentials: { ...rule.credentials, [name]: value } };
    expect(() => parseEgressState({ ...egressState(), signing })).toThrow(
      `signing.credentials.${name} must be`,
    );
  });

  it.each(['', '-a', 'a b', 'a/b', 'a.b', '__proto__', 'x'.repeat(65), 'é'])(
    'takes no server named %j',
    (name) => {
      const servers = JSON.parse(`{${JSON.stringify(name)}: ${JSON.stringify(server())}}`);
      expect(() => parseMcpServers(servers)).toThrow('the name of a server must be');
    },
  );

  it.each([
    ...['a.example', 'ftp://a.example', 'https://', 'https://u@a.example', 'https://u:p@a.example/'],
    ...['https://a.example/?', 'https://a.example/?k=1', 'https://a.example/#', 'https://a.example\\b'],
    ...[
      'https:/a.example',
      'https://a.example:0',
      'https://a.example:99999',
      'https://a b/',
      'https://a.example/ ',
    ],
    ...[
      'https://a.example/a|b',
      'https://%00/',
      `https://a.example/${'a'.repeat(2048)}`,
      'file:///etc/passwd',
    ],
    ...['unix:///run/docker.sock', 'https://a.example/%zz', 'https://a.example/%', 7, null],
  ])('takes no address %j', (real_base_url) => {
    expect(() => parseMcpServers({ tools: server({ real_base_url }) })).toThrow(
      'mcp_servers.tools.real_base_url must be an http:// or https:// address',
    );
  });

  it.each([
    ...['Host', 'content-length', 'Transfer-Encoding', 'transfer_encoding', 'Connection', 'Keep-Alive', 'TE'],
    ...['Trailer', 'Upgrade', 'Proxy-Authorization', 'Via', 'X-Forwarded-For', 'Expect', 'Forwarded'],
    ...['a b', 'a:b', '', 'a\r\nb', 'é'],
  ])('takes no header named %j', (name) => {
    expect(() => parseMcpServers({ tools: server({ headers: { [name]: 'x' } }) })).toThrow(
      'mcp_servers.tools.headers',
    );
  });

  it.each(['a\r\nb', 'a\nb', 'a\0b', '\u0100', 'x'.repeat(8193), 7])(
    'tells of a bad value %#, but not what it is',
    (value) => {
      const headers = { 'X-Key': typeof value === 'string' ? `canary${value}` : value };
      const parse = () => parseMcpServers({ tools: server({ headers }) });
      expect(parse).toThrow('mcp_servers.tools.headers.X-Key must be a text');
      expect(parse).not.toThrow(/canary/);
    },
  );

  it('has limits on servers and headers, and wants each header once', () => {
    const many = (count: number, value: unknown): object =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, value]));
    expect(Object.keys(parseMcpServers(many(32, server({ headers: many(32, 'x') }))))).toHaveLength(32);
    expect(() => parseMcpServers(many(33, server()))).toThrow('at most 32 servers');
    expect(() => parseMcpServers({ a: server({ headers: many(33, 'x') }) })).toThrow('at most 32 headers');
    expect(() => parseMcpServers({ a: server({ headers: { 'X-A': '1', x_a: '2' } }) })).toThrow('twice');
    const large = server({ headers: many(32, 'x'.repeat(8192)) });
    expect(() => parseMcpServers({ a: large })).toThrow('at most 256 KiB of headers');
    expect(() => parseMcpServers({ a: server({ extra: 1 }) })).toThrow('mcp_servers.a has fields besides');
  });
});
