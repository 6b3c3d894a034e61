import type { Server } from 'node:http';
import { duplexPair } from 'node:stream';

/** Calls that change nothing: their bodies are refused. */
const REFUSED = ['/assign', '/exec', '/execute'];
/** Node compiles a function better the more often it was called. */
const TIMES = 10;

/**
 * Puts refused calls through the server, over a connection that only exists in here, so that the first real ones meet
 * code that Node has compiled already: a warm container's first moment is when its user waits.
 */
export function rehearse(server: Server, token: string): void {
  const [client, connection] = duplexPair();
  client.on('error', () => {}).resume();
  // The server holds a connection until both sides have ended it.
  client.once('end', () => client.end());
  server.emit('connection', connection);
  const calls = Array.from({ length: TIMES }, () => REFUSED).flat();
  for (const [at, path] of calls.entries()) {
    const last = at === calls.length - 1;
    client.write(
      `POST ${path} HTTP/1.1\r\nHost: agent\r\nAuthorization: Bearer ${token}\r\n` +
        `Connection: ${last ? 'close' : 'keep-alive'}\r\nContent-Length: 2\r\n\r\n{}`,
    );
  }
}
