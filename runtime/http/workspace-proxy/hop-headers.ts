/** Between two neighbours only (RFC 9110, 7.6.1); each says its own. `Expect` is not: it is answered by the container. */
const HOP = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

export function isHopHeader(lower: string): boolean {
  return HOP.has(lower);
}

/** Names, in lower case, that `Connection` lists as for the neighbour only. */
export function namedByConnection(rawHeaders: readonly string[]): Set<string> | undefined {
  let named: Set<string> | undefined;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length !== 10 || name.toLowerCase() !== 'connection') continue;
    for (const part of (rawHeaders[at + 1] ?? '').toLowerCase().split(',')) {
      const token = part.trim();
      if (token === 'close' || token === 'keep-alive' || token === 'upgrade') continue;
      named ??= new Set();
      named.add(token);
    }
  }
  return named;
}
