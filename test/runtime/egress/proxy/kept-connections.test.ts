import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { answerHello, startProxy, startUpstream, stateOf, until } from './proxy-fixture.ts';

/** So long that no test sees a connection closed for its age, unless it says so. */
const LONG_MS = 60_000;
const HELLO = 'Content-Length: 5\r\n\r\nhello';

async function startBoth(answer = answerHello, limits = {}) {
  const upstream = await startUpstream(answer);
  const proxy = await startProxy(
    { allowed_domains: [`internal:.test:${upstream.port}`] },
    { limits: { pooledMs: LONG_MS, ...limits } },
  );
  const get = (method = 'GET', host = 'up.test') =>
    proxy.ask(`${method} http://${host}:${upstream.port}/ HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n`);
  return { upstream, proxy, get };
}

const isOver = (socket: Socket | undefined) => socket?.readableEnded === true || socket?.destroyed === true;
const requests = (seen: string) => seen.match(/ HTTP\/1\.1\r\n/g)?.length ?? 0;

describe('a connection to an upstream', () => {
  it('is used again for the same host, and for no other', async () => {
    const { upstream, get } = await startBoth();
    for (const host of ['up.test', 'other.test', 'up.test'])
      expect(await get('GET', host)).toContain('hello');
    expect(upstream.connections).toHaveLength(2);
    expect(upstream.seen.map(requests)).toEqual([2, 1]);
  });

  it.each([
    ['says that it was the last', `HTTP/1.1 200 OK\r\nConnection: x, Close\r\n${HELLO}`],
    ['is one of HTTP/1.0', `HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n${HELLO}`],
    [
      'promises to wait for no time to speak of',
      `HTTP/1.1 200 OK\r\nKeep-Alive: max=5, timeout=1\r\n${HELLO}`,
    ],
    ['has bytes after it', `HTTP/1.1 200 OK\r\n${HELLO}HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison`],
  ])('is not used again after an answer that %s', async (_name, answer) => {
    const { upstream, get } = await startBoth((socket) => void socket.write(answer));
    for (let count = 0; count < 2; count += 1) expect(await get()).toMatch(/^HTTP\/1\.1 200 .*hello$/s);
    expect(upstream.connections).toHaveLength(2);
    await until(() => upstream.connections.every(isOver));
  });

  it('is closed when something comes that nobody asked for', async () => {
    const { upstream, get } = await startBoth();
    expect(await get()).toContain('hello');
    upstream.connections[0]?.write('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison');
    await until(() => isOver(upstream.connections[0]));
    expect(await get()).toMatch(/hello$/);
    expect(upstream.connections).toHaveLength(2);
  });

  it('is closed when nobody has used it for a while', async () => {
    const { upstream, get } = await startBoth(answerHello, { pooledMs: 50 });
    expect(await get()).toContain('hello');
    expect(isOver(upstream.connections[0])).toBe(false);
    await until(() => isOver(upstream.connections[0]));
    expect(await get()).toContain('hello');
    expect(upstream.connections).toHaveLength(2);
  });

  it('is not used for longer than the upstream promised', async () => {
    const { upstream, get } = await startBoth((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nKeep-Alive: timeout=2\r\n${HELLO}`);
    });
    for (let count = 0; count < 2; count += 1) expect(await get()).toContain('hello');
    expect(upstream.connections).toHaveLength(1);
    const answered = performance.now();
    await until(() => performance.now() - answered > 1000);
    expect(await get()).toContain('hello');
    expect(upstream.connections).toHaveLength(2);
  });

  it('that was in use when its policy went is closed after its answer', async () => {
    const { upstream, proxy, get } = await startBoth(() => {});
    const before = get();
    await until(() => upstream.connections.length === 1);
    proxy.gate.replace(stateOf({ allowed_domains: [`internal:.test:${upstream.port}`] }));
    const after = get();
    await until(() => upstream.connections.length === 2);
    for (const socket of upstream.connections) socket.write(`HTTP/1.1 200 OK\r\n${HELLO}`);
    for (const answer of [before, after]) expect(await answer).toContain('hello');
    await until(() => isOver(upstream.connections[0]));
    expect(isOver(upstream.connections[1])).toBe(false);
  });

  it('is one of a few that are kept', async () => {
    const { upstream, get } = await startBoth(() => {}, { requests: 100 });
    const asked = Promise.all(Array.from({ length: 80 }, () => get()));
    await until(() => upstream.seen.length === 80 && upstream.seen.every((seen) => requests(seen) === 1));
    for (const socket of upstream.connections) socket.write(`HTTP/1.1 200 OK\r\n${HELLO}`);
    expect((await asked).filter((answer) => answer.endsWith('hello'))).toHaveLength(80);
    await until(() => upstream.connections.filter(isOver).length === 16);
  });

  it('is given up for a new one when it is gone, once', async () => {
    const { upstream, get } = await startBoth((socket, seen) => {
      if (requests(seen) > 1 || upstream.connections.length > 2) socket.destroy();
      else answerHello(socket, seen);
    });
    expect(await get('GET')).toContain('hello');
    expect(await get('OPTIONS')).toContain('hello');
    expect(upstream.connections).toHaveLength(2);
    // The second is gone when it is asked again, and so is what is opened then.
    expect(await get('GET')).toMatch(/^HTTP\/1\.1 502/);
    expect(upstream.connections).toHaveLength(3);
  });

  it.each([
    ['a request that changes something', 'POST', ''],
    ['one that was answered in part', 'GET', 'HTTP/1.1 200'],
  ])('that is gone does not lead to a second try of %s', async (_name, method, part) => {
    const { upstream, proxy, get } = await startBoth((socket, seen) => {
      if (requests(seen) > 1) socket.end(part);
      else answerHello(socket, seen);
    });
    expect(await get()).toContain('hello');
    expect(await get(method)).toMatch(/^HTTP\/1\.1 502/);
    expect(upstream.connections).toHaveLength(1);
    expect(proxy.gate.stats().passed).toEqual({ forwarded: 1, upstream_failed: 1 });
  });

  it('that was answered before the request had ended is closed', async () => {
    const { upstream, proxy } = await startBoth((socket, seen) => {
      if (requests(seen) === 1) socket.write(`HTTP/1.1 413 Too Large\r\n${HELLO}`);
    });
    const client = proxy.open();
    client.socket.write(
      `POST http://up.test:${upstream.port}/ HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\nabc`,
    );
    await until(() => client.received.endsWith('hello'));
    await until(() => isOver(upstream.connections[0]));
  });

  it('is closed with the client that waits for its answer', async () => {
    const { upstream, proxy } = await startBoth((socket) => void socket.write('HTTP/1.1 200 OK\r\n\r\nab'));
    const client = proxy.open();
    client.socket.write(`GET http://up.test:${upstream.port}/ HTTP/1.1\r\nHost: a\r\n\r\n`);
    await until(() => client.received.includes('ab'));
    client.socket.destroy();
    await until(() => isOver(upstream.connections[0]) && proxy.gate.requests === 0);
  });
});
