import { containedCookie } from './cookies.ts';
import { isHopHeader, namedByConnection } from './hop-headers.ts';

interface Given {
  prefix: string;
  /** The host as the user sees it. */
  host: string;
}

/** They reach further than the workspace: other workers' scopes, other hosts of the domain, where the host is found. */
const TOO_FAR = new Set(['service-worker-allowed', 'clear-site-data', 'alt-svc']);
const NO_TRAILERS = new Set(['content-length', 'set-cookie', 'location', 'host', 'authorization', 'cookie']);

/** A container's headers as the client gets them, names and values by turns. */
export function answerHeaders(rawHeaders: readonly string[], { prefix, host }: Given): string[] {
  const named = namedByConnection(rawHeaders);
  const headers: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    const lower = name.toLowerCase();
    if (isHopHeader(lower) || TOO_FAR.has(lower)) continue;
    if (named?.has(lower) && lower !== 'content-length') continue;
    const value = rawHeaders[at + 1] ?? '';
    const kept =
      lower === 'set-cookie'
        ? containedCookie(value, prefix)
        : lower === 'location'
          ? prefixedLocation(value, prefix, host)
          : value;
    if (kept !== undefined) headers.push(name, kept);
  }
  return headers;
}

/** Trailers that may follow a body, as pairs. */
export function passedTrailers(rawTrailers: readonly string[]): [string, string][] {
  const kept: [string, string][] = [];
  for (let at = 0; at + 1 < rawTrailers.length; at += 2) {
    const name = rawTrailers[at] ?? '';
    const lower = name.toLowerCase();
    if (!isHopHeader(lower) && !NO_TRAILERS.has(lower)) kept.push([name, rawTrailers[at + 1] ?? '']);
  }
  return kept;
}

/** A redirect within the workspace, from where the container believes to be to where it is. */
export function prefixedLocation(location: string, prefix: string, host: string): string {
  if (prefix === '') return location;
  const [, origin = '', path = ''] = /^(https?:\/\/[^/?#\\]*)?(.*)$/is.exec(location) ?? [];
  if (origin !== '' && origin.replace(/^https?:\/\//i, '').toLowerCase() !== host.toLowerCase())
    return location;
  if (origin === '' && (!path.startsWith('/') || path.startsWith('//'))) return location;
  if (path === prefix || path.startsWith(`${prefix}/`) || path.startsWith(`${prefix}?`)) return location;
  return `${origin}${prefix}${path.startsWith('/') ? '' : '/'}${path}`;
}
