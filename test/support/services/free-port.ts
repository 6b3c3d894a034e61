import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

// Below what the kernel gives to connections (32768 and up): a port asked of it (0) may be a connection's
// by the time that it is used.
const PORTS = [20_000, 32_000] as const;

/** A port of loopback that nothing listens on, and that nothing gets by chance. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries += 1) {
    const port = randomInt(...PORTS);
    if (await canListen(port)) return port;
  }
  throw new Error(`No free port from ${PORTS[0]} to ${PORTS[1]} in a hundred tries.`);
}

function canListen(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
