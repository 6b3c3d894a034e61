import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Settings } from '../settings.ts';
import { connectToProxy } from './proxy-connection.ts';
import { refuse } from './refusal.ts';

const MOST_CONNECTIONS = 256;
/** Those that are being told that they are too many are limited too. */
const MOST_REFUSED = 64;

/**
 * The port of loopback where this sandbox's proxy answers. Where the proxy has a socket, the port is opened here and
 * leads to it; else it is somebody else's. Rejects with the system's error when it can't be opened.
 */
export async function openProxyPort({ port, socket }: NonNullable<Settings['proxy']>): Promise<number> {
  if (socket === undefined) return port;
  let connections = 0;
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    if (connections >= MOST_CONNECTIONS) {
      refuse(client, 'too-many');
      return;
    }
    connections += 1;
    client.once('close', () => {
      connections -= 1;
    });
    connectToProxy(client, socket);
  });
  server.maxConnections = MOST_CONNECTIONS + MOST_REFUSED;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  // A TCP server's address is never a string.
  return (server.address() as AddressInfo).port;
}
