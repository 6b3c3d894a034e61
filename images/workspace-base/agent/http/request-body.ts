import type { IncomingMessage } from 'node:http';

/**
 * The chunks of a request's body. Leaving the loop early keeps the connection, so that the refusal
 * still gets out; the chunk that a broken connection cuts off throws.
 */
export function bodyChunks(req: IncomingMessage): AsyncIterable<Buffer> & AsyncIterator<Buffer> {
  return req.iterator({ destroyOnReturn: false });
}
