import type { Server, Socket } from 'node:net';
import { networkInterfaces } from 'node:os';

const OWN = 4;
const FOREIGN = 64;

/**
 * Bounds the connections to a server, those of this machine's own addresses apart from the others: a sandbox that
 * shares them can fill its places, and the runtime still has its own.
 */
export function boundConnections(server: Server): void {
  const open = { own: 0, foreign: 0 };
  server.on('connection', (socket: Socket) => {
    const kind = isOwn(socket.remoteAddress) ? 'own' : 'foreign';
    if (open[kind] >= (kind === 'own' ? OWN : FOREIGN)) {
      socket.destroy();
      return;
    }
    open[kind] += 1;
    socket.once('close', () => {
      open[kind] -= 1;
    });
  });
}

function isOwn(remote: string | undefined): boolean {
  const address = remote?.replace(/^::ffff:/, '').replace(/%.*$/, '');
  if (address === undefined || address === '::1' || address.startsWith('127.')) return true;
  return Object.values(networkInterfaces()).some((list) => list?.some((own) => own.address === address));
}
