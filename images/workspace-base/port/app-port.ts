import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { connectToApp } from './app-connection.ts';

/** Beyond these, connections are closed as they come. */
const MOST_CONNECTIONS = 4096;

export interface AppPort {
  /** Someone has connected. */
  used: Promise<unknown>;
}

/** Opens the socket that leads to the app's port. Rejects with the system's error when it can't be bound. */
export async function openAppPort(path: string, port: number): Promise<AppPort> {
  const server = createServer({ allowHalfOpen: true }, (client) => connectToApp(client, port));
  server.maxConnections = MOST_CONNECTIONS;
  rmSync(path, { force: true });
  // The socket is born 0666, for a runtime of another uid; a chmod later could come after the runtime has moved the
  // file away. Binding happens within this call.
  const umask = process.umask(0o111);
  // Who connects to a Unix socket whose queue is full is refused, not made to wait.
  server.listen({ path, backlog: MOST_CONNECTIONS });
  process.umask(umask);
  await once(server, 'listening');
  return { used: once(server, 'connection') };
}
