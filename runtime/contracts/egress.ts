/** Where a container finds its egress proxy. */
export const EGRESS_PROXY_URL = 'http://127.0.0.1:8080';

/** What a container's egress proxy is told: whom it lets through, and what it adds on the way. */
export interface EgressState {
  /** `host`, `.suffix`, `host:port`, each also behind `internal:`, which allows a private address. */
  allowed_domains: string[];
  /** Where MCP servers may be, in the same form: tenants name them, the operator bounds them. */
  mcp_domains: string[];
  /** By name. */
  mcp_servers: Record<string, McpRule>;
  signing: SigningRule | null;
  anthropic: AnthropicRule | null;
}

export interface McpRule {
  real_base_url: string;
  /** Secret. They win over what the client sends. */
  headers: Record<string, string>;
}

export interface SigningRule {
  service: string;
  region: string;
  /** The operator's, such as `https://bedrock-runtime.us-east-1.amazonaws.com`. */
  base_url: string;
  credentials: {
    access_key_id: string;
    secret_access_key: string;
    session_token: string;
    /** ISO 8601. After it nothing is signed. */
    expires_at: string;
  };
}

export interface AnthropicRule {
  base_url: string;
  api_key: string;
}

/** Why a request is not let through; also the value of a metric's label. */
export const EGRESS_REFUSALS = [
  /** It is no request that we take: bad framing, an odd target, user information, a host that is none. */
  'malformed',
  /** The host, or its port, is not on the list. */
  'not_allowed',
  /** An address of the host is private, or otherwise special. */
  'private_address',
  /** The name has no address. */
  'unresolved',
  /** The TLS handshake names another host, or none. */
  'wrong_sni',
  /** There is no such MCP server, or no key or credentials for this path. */
  'unknown_route',
  /** A path or method that is not forwarded, or one that climbs out of its base. */
  'forbidden_path',
  /** Secrets would go over a plain connection. */
  'insecure_target',
  'too_large',
  /** More connections or requests at once than a container may have. */
  'too_many',
  'unauthenticated',
] as const;

export type EgressRefusal = (typeof EGRESS_REFUSALS)[number];

/** What became of requests that were let through. */
export const EGRESS_OUTCOMES = ['forwarded', 'upstream_failed', 'timed_out'] as const;

export type EgressOutcome = (typeof EGRESS_OUTCOMES)[number];

/** How a request came in. */
export const EGRESS_METHODS = ['connect', 'http', 'mcp', 'anthropic', 'bedrock'] as const;

export type EgressMethod = (typeof EGRESS_METHODS)[number];

/** One container's counters since its listener was made. */
export interface EgressStats {
  refused: Partial<Record<EgressRefusal, number>>;
  passed: Partial<Record<EgressOutcome, number>>;
  /** From the request to the end of its answer; tunnels are not counted. */
  durations: Partial<Record<EgressMethod, { count: number; seconds: number; buckets: number[] }>>;
}

/** Upper bounds of `buckets`, in seconds; one more bucket has all above. */
export const EGRESS_DURATION_BUCKETS = [0.005, 0.025, 0.1, 0.5, 2.5, 10, 60, 300] as const;
