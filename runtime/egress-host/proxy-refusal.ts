import { EGRESS_REFUSALS, type EgressRefusal } from '../contracts/egress.ts';
import type { ContainerId } from '../contracts/ids.ts';

/** A request that a proxy did not let through. */
export interface ProxyRefusal {
  container: ContainerId;
  /** As far as one was named. */
  host: string | undefined;
  port: number | undefined;
  reason: EgressRefusal;
}

/** From the fields of the proxy's line about it. */
export function refusalOf(fields: Record<string, unknown>): ProxyRefusal {
  const { container_id, host, port, reason } = fields;
  return {
    container: String(container_id) as ContainerId, // the cast: the proxy knows containers by the names we gave it
    host: typeof host === 'string' ? host : undefined,
    port: typeof port === 'number' ? port : undefined,
    reason: EGRESS_REFUSALS.find((known) => known === reason) ?? 'malformed',
  };
}
