import type { Socket } from 'node:net';

const ANSWERS = {
  'no-proxy': answer(
    '502 Bad Gateway',
    "This sandbox's egress proxy does not answer, so nothing outside can be reached. It may be restarting: try again in a moment.",
  ),
  'too-many': answer(
    '503 Service Unavailable',
    'This sandbox has too many connections through its egress proxy at once. Close some, then try again.',
  ),
};

const LINGER_MS = 1_000;

/** Answers in HTTP, whatever the client was about to ask, and closes. */
export function refuse(client: Socket, reason: keyof typeof ANSWERS): void {
  client.on('error', () => {}); // it has gone, which is what is wanted
  client.write(ANSWERS[reason]);
  endGently(client);
}

/**
 * Closes once the client has been sent everything. What it still sends itself is read and dropped for a moment more:
 * closing before would take from it what it has not read yet.
 */
export function endGently(client: Socket): void {
  client.resume();
  client.end(() => {
    const late = setTimeout(() => client.destroy(), LINGER_MS);
    client.once('close', () => clearTimeout(late));
  });
}

function answer(status: string, text: string): string {
  return (
    `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(text) + 1}\r\n` +
    `Connection: close\r\n\r\n${text}\n`
  );
}
