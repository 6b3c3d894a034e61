import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

type Pieces = AsyncIterable<string | Uint8Array>;

/** A `Response` as it says; text, bytes and streams as they are; anything else as JSON. */
export async function sendResult(res: ServerResponse, result: unknown, gone: AbortSignal): Promise<void> {
  if (isResponse(result)) {
    res.statusCode = result.status;
    res.setHeaders(result.headers);
    return sendPieces(res, result.body, gone);
  }
  if (typeof result === 'string') return send(res, 'text/plain; charset=utf-8', result);
  if (result instanceof Uint8Array) return send(res, 'application/octet-stream', result);
  if (isPieces(result)) {
    res.setHeader('content-type', 'application/octet-stream');
    return sendPieces(res, result, gone);
  }
  sendJson(res, 200, result);
}

/** Nothing is `null`. */
export function sendJson(res: ServerResponse, status: number, value: unknown): void {
  const text = JSON.stringify(value) ?? 'null';
  res.statusCode = status;
  send(res, 'application/json', text);
}

function send(res: ServerResponse, type: string, body: string | Uint8Array): void {
  res.setHeader('content-type', type);
  res.setHeader('content-length', Buffer.byteLength(body));
  res.end(body);
}

/** As fast as the caller takes them. Its head goes with the first piece: until then an error can still be told. */
async function sendPieces(res: ServerResponse, pieces: Pieces | null, signal: AbortSignal): Promise<void> {
  for await (const piece of pieces ?? []) {
    signal.throwIfAborted();
    if (!res.write(piece)) await once(res, 'drain', { signal });
  }
  res.end();
}

/** By its name: to ask for the class is to load all of fetch. */
function isResponse(value: unknown): value is Response {
  return Object.prototype.toString.call(value) === '[object Response]';
}

function isPieces(value: unknown): value is Pieces {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
