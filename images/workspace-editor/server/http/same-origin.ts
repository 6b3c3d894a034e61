import type { IncomingMessage } from 'node:http';

/**
 * Whether a request may come from where it comes from. The proxy's cookie goes along with requests that other pages
 * make, also those of a workspace next door, which is of the same site. Browsers say where a request is from, and
 * no page can change that; what says nothing is no browser. A host of another name than the page's own (DNS
 * rebinding) does not pass the proxy.
 */
export function isSameOrigin({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  // "none": typed into the address bar, or a bookmark.
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  if (headers.origin === undefined) return true;
  const host = URL.parse(headers.origin)?.host;
  // A proxy that rewrites Host tells the browser's own as forwarded.
  const own = [headers.host, headers['x-forwarded-host']].flat();
  return host !== undefined && own.some((name) => name?.toLowerCase() === host);
}
