import type { EgressRefusal } from '../contracts/egress.ts';

/** A request to one of the proxy's own paths, as far as a route looks at it. */
export interface RouteRequest {
  method: string;
  /** Path and query as the client sent them. */
  path: string;
  /** In order; names as sent. */
  headers: readonly (readonly [name: string, value: string])[];
}

/** What the proxy does with a request to one of its own paths. */
export interface RoutePlan {
  method: string;
  target: { secure: boolean; host: string; port: number };
  /** Who named the target, and so what it must be within: the operator's own needs no list, a tenant's has `mcp_domains`. */
  namedBy: 'operator' | 'tenant';
  /** Origin form, with the query. */
  path: string;
  /** All but `host`, `connection` and the body's framing, which the proxy sets. */
  headers: [name: string, value: string][];
  /** Whether `headers` has a secret: then it never goes over a plain connection that is not `internal:`. */
  secret: boolean;
  /** The body is gathered first, up to so many bytes, and these headers are put in place of `headers`. */
  gather?: { mostBytes: number; finish(body: Buffer): Promise<[name: string, value: string][]> };
}

export interface RouteRefusal {
  refused: EgressRefusal;
  status: 400 | 403 | 404 | 405 | 413 | 503;
  /** For the client: what it may know. */
  message: string;
}
