import { connect, type Socket } from 'node:net';
import { endGently, refuse } from './refusal.ts';

/** What is read from the proxy at once. */
const BUFFER_BYTES = 64 * 1024;

/**
 * Carries a client's bytes to the proxy and back, as fast as the slower of both takes them. What one side ends is
 * ended for the other; what breaks is reset, so that nobody takes half an answer for a whole one.
 */
export function connectToProxy(client: Socket, socketPath: string): void {
  let connected = false;
  const proxy = connect({
    // By its name each time: another proxy may have put its own socket there.
    path: socketPath,
    allowHalfOpen: true,
    // One buffer for all that is ever read, where a pipe would take a new one for each piece.
    onread: {
      buffer: Buffer.allocUnsafeSlow(BUFFER_BYTES),
      callback: (bytes, buffer) => writeAtOnce(client, buffer.subarray(0, bytes), () => proxy.resume()),
    },
  });
  proxy.once('connect', () => {
    connected = true;
    client.pipe(proxy);
  });
  proxy.once('end', () => client.end());
  proxy.on('error', () => {
    if (!connected) refuse(client, 'no-proxy');
    // It has said all it had to, and takes no more.
    else if (proxy.readableEnded) endGently(client);
    else client.resetAndDestroy();
  });
  client.on('error', () => proxy.destroy());
}

/** False: the bytes are still in use until `done` is called. */
function writeAtOnce(to: Socket, bytes: Uint8Array, done: () => void): boolean {
  to.write(bytes);
  if (to.writableLength === 0) return true;
  // Nothing more to send, but its turn comes only after all before it has gone.
  to.write('', done);
  return false;
}
