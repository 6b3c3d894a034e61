import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Refusal } from '../verdict/refusal.ts';
import { UpstreamFailure } from './upstream-failure.ts';

/** What a client is told in place of an answer. */
export interface Denial {
  readonly status: number;
  /** Plain text. */
  readonly message: string;
}

/** What to tell the client of an error; of one that is not ours, nothing. */
export function denialOf(error: unknown): Denial {
  if (error instanceof Refusal || error instanceof UpstreamFailure) return error;
  return { status: 500, message: 'The proxy failed on this request.' };
}

/** Answers on a connection that Node's server still runs. `close` when what follows can't be trusted or read. */
export function answerDenial(response: ServerResponse, denial: Denial, close: boolean): void {
  response.sendDate = false;
  response.writeHead(denial.status, headersOf(denial, close));
  response.end(`${denial.message}\n`);
}

/** Answers on a bare connection, and ends it. */
export function writeDenial(socket: Socket, denial: Denial): void {
  if (socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const headers = headersOf(denial, true);
  const lines = [`HTTP/1.1 ${denial.status} ${STATUS_CODES[denial.status] ?? 'Refused'}`];
  for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  socket.write(`${lines.join('\r\n')}\r\n\r\n${denial.message}\n`);
  socket.destroySoon();
}

function headersOf({ status, message }: Denial, close: boolean): string[] {
  const headers = [
    'Content-Type',
    'text/plain; charset=utf-8',
    'Content-Length',
    String(Buffer.byteLength(message) + 1),
  ];
  if (status === 407) headers.push('Proxy-Authenticate', 'Basic realm="berth"');
  if (close) headers.push('Connection', 'close');
  return headers;
}
