import type { ServerResponse } from 'node:http';

/** Answers with a JSON body and ends the response. */
export function sendJson(res: ServerResponse, status: number, value: object): void {
  const body = Buffer.from(JSON.stringify(value));
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length });
  res.end(body);
}
