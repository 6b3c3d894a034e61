import { lookup as dnsLookup } from 'node:dns/promises';
import type { EgressState } from '../../contracts/egress.ts';
import type { Gate } from '../gate.ts';
import type { RoutePlan, RouteRefusal, RouteRequest } from '../route-plan.ts';
import { routeRequest } from '../routes/route-request.ts';
import type { Lookup } from '../verdict/resolve-target.ts';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';

type Planned = RoutePlan | RouteRefusal;

export interface ProxyOptions {
  /** All addresses of a name. By default as the system resolves it. */
  readonly lookup?: Lookup;
  /** In place of the defaults. */
  readonly limits?: Partial<Limits>;
  /** Milliseconds that only grow. */
  readonly now?: () => number;
  /** Where a tunnel has to begin with a TLS handshake for its host. By default 443. */
  readonly tlsPorts?: readonly number[];
  readonly routes?: (request: RouteRequest, state: EgressState) => Planned | Promise<Planned>;
  /** Where a shared server counts and logs what it refuses before it knows whose it is. */
  readonly nobody?: Gate;
}

/** `ProxyOptions` with the defaults put in. */
export interface ProxySettings {
  readonly lookup: Lookup;
  readonly limits: Limits;
  readonly now: () => number;
  readonly tlsPorts: readonly number[];
  readonly routes: NonNullable<ProxyOptions['routes']>;
}

export function settingsOf(options: ProxyOptions): ProxySettings {
  return {
    lookup: options.lookup ?? systemLookup,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    now: options.now ?? (() => performance.now()),
    tlsPorts: options.tlsPorts ?? [443],
    routes: options.routes ?? routeRequest,
  };
}

async function systemLookup(host: string): Promise<string[]> {
  const answers = await dnsLookup(host, { all: true, order: 'verbatim' });
  return answers.map(({ address }) => address);
}
