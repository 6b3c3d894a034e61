import { BerthError } from '../../contracts/errors.ts';
import { isForeign, isForeignSocket } from './admission.ts';
import type { Visit } from './visit.ts';
import type { WorkspaceAddresses } from './workspace-address.ts';

/** Throws `FORBIDDEN` for what another site's page does with the user's cookie. */
export function refuseForeign(visit: Visit, addresses: WorkspaceAddresses): void {
  const { request, kind } = visit;
  const own = { has: (origin: string) => ownOrigins(visit, addresses).has(origin.toLowerCase()) };
  const foreign = kind === 'websocket' ? isForeignSocket(request, own) : isForeign(request, own);
  if (foreign) throw new BerthError('FORBIDDEN', 'another site may not use this session');
}

function ownOrigins({ request, facts, address }: Visit, addresses: WorkspaceAddresses): Set<string> {
  const hosts = [request.headers.host ?? '', facts.host].map((host) => `${facts.protocol}://${host}`);
  const told = address.id === undefined ? [] : [new URL(addresses.urlOf(address.id)).origin];
  return new Set([...hosts, ...told].map((origin) => origin.toLowerCase()));
}
