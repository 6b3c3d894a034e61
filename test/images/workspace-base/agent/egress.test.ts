import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerOpts, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { must } from '../../../support/must.ts';
import { RunningAgent } from './running-agent.ts';

const MEGABYTE = 1024 * 1024;

let folder: string;
let path: string;
let agent: RunningAgent;
let port: number;
const opened = new Set<Socket>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'berth-egress-'));
  path = join(folder, 'proxy.sock');
  agent = await RunningAgent.start({ AGENT_PROXY_SOCKET: path, AGENT_PROXY_PORT: '0' });
  port = await portOf(agent);
});

afterEach(() => {
  for (const socket of opened) socket.destroy();
  opened.clear();
});

afterAll(async () => {
  await agent.stop();
  rmSync(folder, { recursive: true });
});

async function portOf(asked: RunningAgent): Promise<number> {
  return Number(new URL((await asked.sh('echo $HTTP_PROXY')).stdout.trim()).port);
}

/** A proxy for one test. */
async function proxyAt(
  at: string,
  onConnection: (socket: Socket) => void,
  options: ServerOpts = {},
): Promise<Server> {
  const server = createServer({ allowHalfOpen: true, ...options }, (socket) => {
    opened.add(socket);
    socket.on('error', () => {});
    onConnection(socket);
  });
  server.listen(at);
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    rmSync(at, { force: true });
  });
  return server;
}

/** A program's connection to the proxy, as it thinks. */
async function dial(to = port): Promise<Socket> {
  const socket = new Socket({ allowHalfOpen: true });
  opened.add(socket);
  socket.on('error', () => {});
  socket.connect(to, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

/** Bytes taken from a writer that never stops, until nothing has moved for a while. */
async function writtenUntilStuck(socket: Socket): Promise<number> {
  const chunk = Buffer.alloc(64 * 1024);
  let left = 64 * MEGABYTE;
  const more = () => {
    while (left > 0 && socket.write(chunk)) left -= chunk.length;
  };
  socket.on('drain', more);
  more();
  for (let before = -1; socket.bytesWritten - socket.writableLength !== before; await sleep(300))
    before = socket.bytesWritten - socket.writableLength;
  return socket.bytesWritten - socket.writableLength;
}

describe("a connection to the proxy's port", () => {
  it('carries bytes both ways as they are', async () => {
    await proxyAt(path, (socket) => socket.pipe(socket));
    const client = await dial();
    const sent = randomBytes(24 * MEGABYTE + 7);
    client.end(sent);
    const back = createHash('sha256');
    for await (const chunk of client) back.update(chunk);
    expect(back.digest('hex')).toBe(createHash('sha256').update(sent).digest('hex'));
  });

  it('tells the proxy that the client has sent all, and brings the answer still', async () => {
    await proxyAt(path, async (socket) => socket.end(`got ${await text(socket)}`));
    const client = await dial();
    client.end('question');
    expect(await text(client)).toBe('got question');
  });

  it('tells the client that the proxy has sent all, and takes on what the client sends', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    await proxyAt(path, (socket) => {
      socket.end('hello');
      text(socket).then(resolve, () => {});
    });
    const client = await dial();
    expect(await text(client)).toBe('hello');
    client.end('and more');
    expect(await promise).toBe('and more');
  });

  it('holds a client up while the proxy does not read', async () => {
    await proxyAt(path, () => {});
    const before = agent.anonymousMemory();
    expect(await writtenUntilStuck(await dial())).toBeLessThan(24 * MEGABYTE);
    expect(agent.anonymousMemory() - before).toBeLessThan(8 * 1024);
  });

  it('holds the proxy up while the client does not read, and goes on when it does', async () => {
    const { promise, resolve } = Promise.withResolvers<Socket>();
    await proxyAt(path, resolve);
    const client = await dial();
    const before = agent.anonymousMemory();
    const proxy = await promise;
    expect(await writtenUntilStuck(proxy)).toBeLessThan(24 * MEGABYTE);
    expect(agent.anonymousMemory() - before).toBeLessThan(8 * 1024);
    let received = 0;
    client.on('data', (chunk) => {
      received += chunk.length;
    });
    await vi.waitFor(() => expect(received).toBeGreaterThanOrEqual(64 * MEGABYTE), { timeout: 10_000 });
  });

  it('is reset when the proxy breaks off: half an answer is not taken for a whole one', async () => {
    const sockets: Socket[] = [];
    const take = (socket: Socket) => {
      sockets.push(socket);
      socket.write('half');
    };
    await proxyAt(path, take, { pauseOnConnect: true });
    const client = await dial();
    await once(client, 'data');
    client.write('never read');
    // What a later connection brings comes after it.
    const later = await dial();
    later.write('x');
    await vi.waitFor(() => expect(sockets).toHaveLength(2));
    await once(must(sockets[1]).resume(), 'data');
    const closed = once(client, 'error').catch((error) => [error]);
    must(sockets[0]).destroy(); // with something unread, which resets it
    expect(await closed).toMatchObject([{ code: 'ECONNRESET' }]);
  });

  it('is closed at the proxy when the client breaks off', async () => {
    const { promise, resolve } = Promise.withResolvers<Socket>();
    await proxyAt(path, (socket) => {
      socket.resume();
      resolve(socket);
    });
    const client = await dial();
    client.write('x');
    const proxy = await promise;
    client.resetAndDestroy();
    await once(proxy, 'end');
  });

  it('goes to the proxy that is there by then, and stays with it', async () => {
    await proxyAt(path, (socket) => socket.on('data', () => socket.write('old')));
    const before = await dial();
    before.write('?');
    expect(`${(await once(before, 'data'))[0]}`).toBe('old');
    await proxyAt(`${path}.next`, (socket) => socket.on('data', () => socket.write('new')));
    renameSync(`${path}.next`, path);
    const after = await dial();
    after.write('?');
    expect(`${(await once(after, 'data'))[0]}`).toBe('new');
    before.write('?');
    expect(`${(await once(before, 'data'))[0]}`).toBe('old');
  });

  it('is told so when 256 others are open, until one has gone', async () => {
    const own = await RunningAgent.startForTest({ AGENT_PROXY_SOCKET: path, AGENT_PROXY_PORT: '0' });
    const at = await portOf(own);
    const held = new Set<Socket>();
    await proxyAt(path, (socket) => {
      held.add(socket);
      socket.on('data', () => socket.write('ok'));
    });
    const clients = await Promise.all(Array.from({ length: 256 }, () => dial(at)));
    await vi.waitFor(() => expect(held.size).toBe(256), 20_000);
    const refused = await dial(at);
    refused.write('CONNECT a.test:443 HTTP/1.1\r\n\r\n');
    expect(await text(refused)).toMatch(/^HTTP\/1\.1 503 .*too many connections/s);
    clients[0]?.destroy();
    for (const socket of held) socket.once('end', () => socket.end());
    await vi.waitFor(async () => {
      const next = await dial(at);
      next.write('?');
      expect(`${(await once(next, 'data'))[0]}`).toBe('ok');
    });
    expect(own.stderr).toBe('');
  });
});

describe('without a proxy behind the port', () => {
  const asked = 'GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n';

  it.each([
    ['no socket', () => {}],
    ['a socket that nobody listens on', leaveSocket],
    ['a file that is no socket', () => writeFileSync(path, '')],
  ])('a client gets a 502 that says so: %s', async (_name, arrange) => {
    onTestFinished(() => rmSync(path, { force: true }));
    await arrange();
    const client = await dial();
    client.write(asked);
    const answer = await text(client);
    expect(answer).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/);
    expect(answer).toContain("This sandbox's egress proxy does not answer");
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toContain(`Content-Length: ${body.length}`);
  });

  it('a client that sends more than it reads gets it too, and is not kept', async () => {
    const client = await dial();
    const closed = once(client, 'close').catch(() => {});
    const answer = once(client, 'data');
    const endless = setInterval(() => client.write(Buffer.alloc(MEGABYTE)), 5);
    onTestFinished(() => clearInterval(endless));
    expect(`${(await answer)[0]}`).toContain('502 Bad Gateway');
    await closed;
  });

  /** As after a proxy's crash: Node would remove it on the way out. */
  async function leaveSocket(): Promise<void> {
    const server = createServer().listen(`${path}.left`);
    await once(server, 'listening');
    renameSync(`${path}.left`, path);
    server.close();
    await once(server, 'close');
    expect(existsSync(path)).toBe(true);
  }
});

it('open connections do not keep an agent alive that nobody calls', async () => {
  await proxyAt(path, (socket) => socket.pipe(socket));
  const idle = await RunningAgent.startForTest({
    AGENT_PROXY_SOCKET: path,
    AGENT_PROXY_PORT: '0',
    AGENT_IDLE_EXIT_SECONDS: '1',
  });
  const client = await dial(await portOf(idle));
  const busy = setInterval(() => client.write('still here'), 50);
  onTestFinished(() => clearInterval(busy));
  client.resume();
  expect(await idle.exited()).toBe(0);
  expect(idle.stderr).toContain('exits by itself: idle');
});

it('only loopback of IPv4 is listened on', async () => {
  expect(
    (await agent.sh(`grep -i ":${port.toString(16).padStart(4, '0')} " /proc/net/tcp`)).stdout,
  ).toContain('0100007F:');
  expect((await agent.sh(`grep -ic ":${port.toString(16).padStart(4, '0')} " /proc/net/tcp6`)).stdout).toBe(
    '0\n',
  );
});
