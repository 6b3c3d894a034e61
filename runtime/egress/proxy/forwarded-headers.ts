import { isConnectionHeader } from '../connection-headers.ts';

/** A header list as Node has it: name, value, name, value. */
export type RawHeaders = readonly string[];

/** Of a request the proxy sets these anew. */
const FRAMING = new Set(['host', 'content-length']);

/** What of a client's request goes on: without the framing and `Host`, which the caller adds. */
export function requestHeaders(headers: RawHeaders): string[] {
  return keep(headers, FRAMING);
}

/** What of an upstream's answer goes back. */
export function responseHeaders(headers: RawHeaders): string[] {
  return keep(headers);
}

function keep(headers: RawHeaders, also?: ReadonlySet<string>): string[] {
  const named = namedByConnection(headers);
  const kept: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] ?? '';
    const lower = name.toLowerCase();
    if (isConnectionHeader(lower) || also?.has(lower) || named?.has(lower)) continue;
    kept.push(name, headers[at + 1] ?? '');
  }
  return kept;
}

/** Names that `Connection` lists; the length of a body can't be taken away like that. */
function namedByConnection(headers: RawHeaders): Set<string> | undefined {
  let named: Set<string> | undefined;
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] ?? '';
    if (name.length !== 10 || name.toLowerCase() !== 'connection') continue;
    for (const part of (headers[at + 1] ?? '').toLowerCase().split(',')) {
      const token = part.trim();
      if (token === 'keep-alive' || token === 'close' || token === 'content-length') continue;
      named ??= new Set();
      named.add(token);
    }
  }
  return named;
}
