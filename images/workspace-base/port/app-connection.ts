import { connect, type Socket } from 'node:net';
import { endGently } from '../agent/egress/refusal.ts';

/** How long a connection that one side has ended may stay silent: the other may never say that it has gone. */
const HALF_CLOSED_MS = 5 * 60_000;

/**
 * Carries a client's bytes to the app and back, as fast as the slower of both takes them. What one side ends is ended
 * for the other; what breaks is broken off. An app that does not listen is a connection that closes at once.
 */
export function connectToApp(client: Socket, port: number, halfClosedMs = HALF_CLOSED_MS): void {
  const app = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
  client.pipe(app);
  app.pipe(client);
  for (const side of [client, app]) side.once('end', () => client.setTimeout(halfClosedMs));
  client.on('timeout', () => client.destroy());
  app.on('error', () => {
    // It has said all it had to, and takes no more.
    if (app.readableEnded) endGently(client);
    else client.destroy();
  });
  client.on('error', () => app.destroy());
  client.once('close', () => {
    if (client.readableEnded && client.writableFinished) app.destroySoon();
    else app.destroy();
  });
}
