import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, vi } from 'vitest';
import { TestFolder } from '../../../contract/container-backend/test-folder.ts';
import { freePort } from '../../../support/services/free-port.ts';

const MAIN = fileURLToPath(new URL('../../../../images/workspace-base/port/main.ts', import.meta.url));

export interface RunningPort {
  child: ChildProcess;
  /** Where the app is to listen. */
  app: number;
  /** Where the app finds its proxy. */
  proxy: number;
  socket: string;
  proxySocket: string;
  output: Promise<string>;
  dial(): Promise<Socket>;
  /** Resolves once it listens. */
  ready(): Promise<void>;
  exitCode(): Promise<number | null>;
}

const running: { child: ChildProcess; folder: TestFolder }[] = [];
afterEach(() => {
  for (const { child, folder } of running.splice(0)) {
    child.kill('SIGKILL');
    folder.remove();
  }
});

/** The port program on this machine's own loopback; with a command, it starts that. */
export async function startPort(
  options: { env?: Record<string, string>; command?: string[] } = {},
): Promise<RunningPort> {
  const folder = new TestFolder();
  const [app, proxy] = [await freePort(), await freePort()];
  const [socket, proxySocket] = [join(folder.path, 'app.sock'), join(folder.path, 'proxy.sock')];
  const settings = {
    PORT_SOCKET: socket,
    PORT_APP: String(app),
    PORT_PROXY_SOCKET: proxySocket,
    PORT_PROXY_PORT: String(proxy),
  };
  const child = spawn(process.execPath, [MAIN, ...(options.command ?? [])], {
    env: { PATH: process.env.PATH, PORT: String(app), ...settings, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push({ child, folder });
  const exited = once(child, 'exit');
  const dial = async () => {
    const client = connect({ path: socket, allowHalfOpen: true });
    await once(client, 'connect');
    return client;
  };
  return {
    child,
    app,
    proxy,
    socket,
    proxySocket,
    output: Promise.all([text(child.stdout), text(child.stderr)]).then((both) => both.join('')),
    dial,
    ready: async () => {
      const client = await vi.waitFor(dial, { timeout: 10_000, interval: 20 });
      // While no app listens it is closed again: nothing of it is left when one does.
      client.resume().once('end', () => client.end());
      await once(client, 'close');
    },
    exitCode: async () => (await exited)[0],
  };
}

/** Something that listens where the app would. */
export async function listenAsApp(port: number, onConnection: (socket: Socket) => void): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {}); // a test may break it off
    onConnection(socket);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
