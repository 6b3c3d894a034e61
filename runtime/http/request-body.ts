import type { IncomingMessage } from 'node:http';

const LET_PASS_MS = 2000;

/**
 * Drops what is left of a body that nobody reads. A client that is still sending gets to read its answer,
 * which a connection cut at once would take from it.
 */
export function letPass(request: IncomingMessage): void {
  const cut = setTimeout(() => request.destroy(), LET_PASS_MS);
  request.once('close', () => clearTimeout(cut));
  request.resume();
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
