import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EgressState } from '../../../runtime/contracts/egress.ts';
import { parseEgressState } from '../../../runtime/egress/routes/parse-rules.ts';
import { stateHash } from '../../../runtime/egress/state-hash.ts';
import { egressState, signingRule } from './routes/egress-state.ts';

const server = { real_base_url: 'https://mcp.example/v1', headers: { 'X-Key': 'k', Authorization: 'a' } };
const full = (): EgressState =>
  egressState({
    allowed_domains: ['a.example', '.b.example'],
    mcp_domains: ['mcp.example'],
    mcp_servers: { one: server, two: { ...server, headers: {} } },
    signing: signingRule(),
    anthropic: { base_url: 'https://api.example', api_key: 'k' },
  });

/** The same value, with the keys of all its objects in another order. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, part]) => [key, turned(part)]),
  );
}

describe('the hash of rules', () => {
  it('is the same in whatever order they come', () => {
    expect(stateHash(turned(full()) as EgressState)).toBe(stateHash(full())); // the cast: only reordered
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.dictionary(fc.string(), fc.string())), (headers) => {
        const state = { ...full(), mcp_servers: headers } as unknown as EgressState; // any form will do here
        expect(stateHash(turned(state) as EgressState)).toBe(stateHash(state));
      }),
    );
  });

  it('is the same for a proxy that was told them', () => {
    expect(stateHash(parseEgressState(JSON.parse(JSON.stringify(full()))))).toBe(stateHash(full()));
  });

  it.each<[string, Partial<EgressState>]>([
    ['a domain', { allowed_domains: ['a.example'] }],
    ['the order of domains', { allowed_domains: ['.b.example', 'a.example'] }],
    ['a domain for MCP servers', { mcp_domains: [] }],
    ['a header of a server', { mcp_servers: { one: { ...server, headers: { 'X-Key': 'other' } } } }],
    ['no credentials', { signing: null }],
    [
      'renewed credentials',
      {
        signing: signingRule({
          credentials: { ...signingRule().credentials, expires_at: '2099-01-02T00:00:00Z' },
        }),
      },
    ],
    ['a key', { anthropic: { base_url: 'https://api.example', api_key: 'other' } }],
  ])('changes with %s', (_what, change) => {
    expect(stateHash({ ...full(), ...change })).not.toBe(stateHash(full()));
  });

  it('of none is not that of rules that allow nothing', () => {
    expect(stateHash(undefined)).not.toBe(stateHash(egressState()));
  });
});
