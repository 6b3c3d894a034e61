import type { IncomingMessage } from 'node:http';
import { BerthError } from '../../contracts/errors.ts';
import type { ClientFacts } from './client-facts.ts';
import { withoutSession } from './cookies.ts';
import { isHopHeader, namedByConnection } from './hop-headers.ts';

interface Given {
  facts: ClientFacts;
  prefix: string;
  /** Its `Authorization` is our key, and not for the container. */
  carriesKey: boolean;
  websocket: boolean;
}

/** What each hop says anew: how long the body is, and which way the request came. */
const SAID_ANEW = new Set(['host', 'content-length', 'x-forwarded-prefix']);
const OF_THE_WAY = ['x-forwarded-', 'forwarded', 'x-real-ip'];
const WITHOUT_LENGTH = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);

/** A client's headers as the container gets them, names and values by turns. */
export function requestHeaders(request: IncomingMessage, given: Given): string[] {
  const { rawHeaders } = request;
  const named = namedByConnection(rawHeaders);
  const { facts, prefix } = given;
  const headers: string[] = ['Host', facts.host];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    const lower = name.toLowerCase();
    const value = rawHeaders[at + 1] ?? '';
    if (isHopHeader(lower) || named?.has(lower) || SAID_ANEW.has(lower)) continue;
    if (isOfTheWay(lower, facts.trusted)) continue;
    if (lower === 'authorization' && given.carriesKey) continue;
    const kept = lower === 'cookie' ? withoutSession(value) : value;
    if (kept !== undefined) headers.push(name, kept);
  }
  headers.push('X-Forwarded-For', facts.forwardedFor);
  headers.push('X-Forwarded-Proto', facts.protocol);
  headers.push('X-Forwarded-Host', facts.host);
  if (prefix !== '') headers.push('X-Forwarded-Prefix', prefix);
  if (given.websocket) headers.push('Connection', 'Upgrade', 'Upgrade', 'websocket');
  else headers.push(...framing(request), ...trailersWanted(request));
  return headers;
}

/**
 * Throws `INVALID_REQUEST` for what two readers may read in two ways. The parser has refused most of it; what goes on
 * is framed anew from what it understood.
 */
export function refuseAmbiguous({ rawHeaders, headers, httpVersion, url = '' }: IncomingMessage): void {
  const encoding = headers['transfer-encoding'];
  const problem =
    (!url.startsWith('/') && 'the address is no path') ||
    (count(rawHeaders, 'host') > 1 && 'there is more than one Host') ||
    (count(rawHeaders, 'content-length') > 1 && 'there is more than one Content-Length') ||
    (encoding !== undefined && encoding.toLowerCase() !== 'chunked' && 'Transfer-Encoding is not chunked') ||
    (encoding !== undefined && httpVersion === '1.0' && 'HTTP/1.0 has no Transfer-Encoding');
  if (problem !== false) throw new BerthError('INVALID_REQUEST', problem);
}

/** How long the body is; said in full, so that Node adds nothing. */
function framing({ headers, method = '' }: IncomingMessage): string[] {
  if (headers['transfer-encoding'] !== undefined) return ['Transfer-Encoding', 'chunked'];
  const length = headers['content-length'];
  if (length !== undefined) return ['Content-Length', length];
  return WITHOUT_LENGTH.has(method) ? [] : ['Content-Length', '0'];
}

function trailersWanted({ headers }: IncomingMessage): string[] {
  const te = headers.te;
  return typeof te === 'string' && /(^|,)\s*trailers\s*(,|$)/i.test(te) ? ['TE', 'trailers'] : [];
}

/** Some servers read `_` as `-`. */
function isOfTheWay(lower: string, trusted: boolean): boolean {
  const name = lower.replaceAll('_', '-');
  if (!OF_THE_WAY.some((of) => name.startsWith(of))) return false;
  return !trusted || name !== lower || /^x-forwarded-(for|proto|host|prefix)$/.test(name);
}

function count(rawHeaders: readonly string[], wanted: string): number {
  let found = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() === wanted) found += 1;
  }
  return found;
}
