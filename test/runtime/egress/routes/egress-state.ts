import type { EgressState, SigningRule } from '../../../../runtime/contracts/egress.ts';
import type { RoutePlan, RouteRefusal, RouteRequest } from '../../../../runtime/egress/route-plan.ts';

/** A state with the given parts, and otherwise nothing allowed. */
export const egressState = (parts: Partial<EgressState> = {}): EgressState => ({
  allowed_domains: [],
  mcp_domains: [],
  mcp_servers: {},
  signing: null,
  anthropic: null,
  ...parts,
});

export const signingRule = (parts: Partial<SigningRule> = {}): SigningRule => ({
  service: 'bedrock',
  region: 'us-east-1',
  base_url: 'https://bedrock-runtime.us-east-1.amazonaws.com',
  credentials: {
    access_key_id: 'AKIDEXAMPLE',
    secret_access_key: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
    session_token: 'session-token',
    expires_at: '2099-01-01T00:00:00Z',
  },
  ...parts,
});

export const routeRequestTo = (path: string, parts: Partial<RouteRequest> = {}): RouteRequest => ({
  method: 'GET',
  path,
  headers: [],
  ...parts,
});

export function planned(outcome: RoutePlan | RouteRefusal): RoutePlan {
  if ('refused' in outcome) throw new Error(`refused: ${outcome.status} ${outcome.message}`);
  return outcome;
}

export function refused(outcome: RoutePlan | RouteRefusal): RouteRefusal {
  if ('refused' in outcome) return outcome;
  throw new Error(`let through to ${outcome.target.host}${outcome.path}`);
}
