import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Terminals } from '../terminals/terminals.ts';

/** What the whole server works on. */
export interface Editor {
  /** Absolute: what the file tree shows. */
  readonly home: string;
  readonly terminals: Terminals;
}

/** One request to the API. */
export interface Call {
  readonly editor: Editor;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly query: URLSearchParams;
}

export function sendJson(res: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  res.end(text);
}
