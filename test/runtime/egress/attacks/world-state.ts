import type { EgressState } from '../../../../runtime/contracts/egress.ts';

/** In every secret of the state: nobody but upstreams may see it. */
export const CANARY = 'canary-7c1f';

const ALLOWED = [
  'internal:127.0.0.2:PORT',
  'internal:127.0.0.2:HOSTILE',
  'internal:up.test:PORT',
  'internal:.sub.test:PORT',
  'internal:tls.test',
  'internal:TLS',
  // Without the operator's word that they are private, and they are:
  'victim.test:PORT',
  '169.254.169.254:PORT',
  '[fd00:ec2::254]:PORT',
  '[OWN]:PORT',
  'localhost:PORT',
  '.dns.test:PORT',
  '.dns.test:ADMIN',
  // Never to be resolved: no row asks for a port of theirs.
  'mail.test',
];

/** What the table's proxy is told. */
export function worldState(fill: (text: string) => string): EgressState {
  const headers = { Authorization: `Bearer ${CANARY}`, 'X-Secret': CANARY };
  return {
    allowed_domains: ALLOWED.map(fill),
    mcp_domains: ['internal:up.test:PORT', 'plain.test:PORT', 'victim.test:PORT'].map(fill),
    mcp_servers: {
      tools: { real_base_url: fill('http://up.test:PORT/base/v1'), headers },
      /** Secrets over plain http, to a host that is not marked. */
      plain: { real_base_url: fill('http://plain.test:PORT/'), headers },
      private: { real_base_url: fill('http://victim.test:PORT/'), headers: {} },
      unlisted: { real_base_url: fill('http://tls.test/'), headers: {} },
      metadata: { real_base_url: fill('http://169.254.169.254:PORT/latest'), headers: {} },
      admin: { real_base_url: fill('http://127.0.0.1:ADMIN/admin'), headers: {} },
      decimal: { real_base_url: fill('http://2130706435:PORT/'), headers: {} },
    },
    signing: {
      service: 'bedrock',
      region: 'us-east-1',
      base_url: fill('http://up.test:PORT/bedrock'),
      credentials: {
        access_key_id: 'AKIDOPERATOR',
        secret_access_key: `${CANARY}-key`,
        session_token: `${CANARY}-token`,
        expires_at: '2099-01-01T00:00:00Z',
      },
    },
    anthropic: { base_url: fill('http://up.test:PORT/model'), api_key: `${CANARY}-api` },
  };
}
