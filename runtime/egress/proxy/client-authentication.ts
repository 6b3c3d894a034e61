import { Refusal } from '../verdict/refusal.ts';
import type { RawHeaders } from './forwarded-headers.ts';

/** What a client of a shared server says it is. */
export interface ClaimedIdentity {
  readonly container: string;
  readonly credential: string;
}

const BASIC = /^basic +([A-Za-z0-9+/_-]+={0,2})$/i;

/** The one `Proxy-Authorization` of a request, as it was sent; undefined when there is none, or more. */
export function proxyAuthorization(headers: RawHeaders): string | undefined {
  let found: string | undefined;
  for (let at = 0; at + 1 < headers.length; at += 2) {
    if (headers[at]?.length !== 19 || headers[at]?.toLowerCase() !== 'proxy-authorization') continue;
    if (found !== undefined) return undefined;
    found = headers[at + 1];
  }
  return found;
}

/** Throws an `unauthenticated` refusal when it is not `Basic base64(container:credential)`. */
export function claimedIdentity(authorization: string | undefined): ClaimedIdentity {
  const encoded = BASIC.exec(authorization ?? '')?.[1];
  const decoded = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon <= 0) throw unauthenticated();
  return { container: decoded.slice(0, colon), credential: decoded.slice(colon + 1) };
}

export function unauthenticated(): Refusal {
  return new Refusal(
    'unauthenticated',
    "This proxy wants the container's own credential in Proxy-Authorization.",
  );
}
