import type { Server } from 'node:http';
import { describe, expect, it } from 'vitest';
import { answerHello, startProxy, startUpstream, until } from './proxy-fixture.ts';

const get = (port: number, path = '/') =>
  `GET http://up.test:${port}${path} HTTP/1.1\r\nHost: up.test\r\n\r\n`;

async function startBoth(limits = {}, answer = answerHello) {
  const upstream = await startUpstream(answer);
  const proxy = await startProxy({ allowed_domains: [`internal:up.test:${upstream.port}`] }, { limits });
  return { upstream, proxy };
}

/** How many requests Node's parser has made of what came. */
function countRequests(server: Server): () => number {
  let parsed = 0;
  server.on('request', () => {
    parsed += 1;
  });
  return () => parsed;
}

describe('a container', () => {
  it('has so many connections at once, and may open another when one is closed', async () => {
    const { upstream, proxy } = await startBoth({ connections: 3 });
    const clients = [proxy.open(), proxy.open(), proxy.open()];
    await until(() => proxy.gate.connections === 3);
    expect(await proxy.ask('')).toMatch(/^HTTP\/1.1 429 Too Many Requests/);
    expect(proxy.gate.stats().refused).toEqual({ too_many: 1 });
    clients[0]?.socket.destroy();
    await until(() => proxy.gate.connections === 2);
    expect(await proxy.ask(get(upstream.port))).toContain('hello');
  });

  it('has so many requests in work at once', async () => {
    const { upstream, proxy } = await startBoth({ requests: 2 }, () => {});
    for (const client of [proxy.open(), proxy.open()]) client.socket.write(get(upstream.port));
    await until(() => proxy.gate.requests === 2);
    expect(await proxy.ask(get(upstream.port))).toMatch(/^HTTP\/1.1 429/);
  });

  it('frees its place when a client leaves before the answer, and the upstream is let go', async () => {
    const { upstream, proxy } = await startBoth({}, () => {});
    const client = proxy.open();
    client.socket.write(get(upstream.port) + get(upstream.port) + get(upstream.port));
    await until(() => proxy.gate.requests === 3 && upstream.connections.length === 3);
    client.socket.destroy();
    await until(() => proxy.gate.requests === 0 && proxy.gate.connections === 0);
    await until(() => upstream.connections.every((socket) => socket.readableEnded || socket.destroyed));
  });

  it('does not get far by sending requests ahead of their answers', async () => {
    const { upstream, proxy } = await startBoth({ pipelined: 4 }, () => {});
    const parsed = countRequests(proxy.server);
    const client = proxy.open();
    client.socket.write(get(upstream.port).repeat(1000));
    await until(() => (proxy.gate.stats().refused.too_many ?? 0) > 0);
    expect(proxy.gate.stats().refused.too_many).toBe(1);
    expect(proxy.gate.requests).toBe(4);
    // No more than was in one slice of what it sent.
    expect(parsed()).toBeLessThan(150);
    client.socket.destroy();
    await until(() => proxy.gate.connections === 0);
  });

  it('is cut off when it goes on asking for what is refused', async () => {
    const { proxy } = await startBoth();
    const parsed = countRequests(proxy.server);
    const client = proxy.open();
    client.socket.write('GET http://no.test/ HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1000));
    await until(() => client.closed || client.ended);
    expect(client.received.match(/HTTP\/1.1 403/g)?.length).toBeLessThanOrEqual(16);
    expect(proxy.gate.stats().refused.not_allowed).toBeLessThanOrEqual(16);
    expect(parsed()).toBeLessThan(150);
  });

  it.each([
    ['nothing', ''],
    ['half a head', 'GET http://up.test/ HTTP/1.1\r\nHo'],
  ])('is cut off when it sends %s for too long', async (_name, bytes) => {
    const { proxy } = await startBoth({ headMs: 100 });
    const client = proxy.open();
    if (bytes) client.socket.write(bytes);
    await until(() => client.closed || client.ended);
    expect(client.received).toMatch(/^HTTP\/1.1 408/);
    await until(() => proxy.gate.connections === 0);
  });

  it('is cut off when its body stands still', async () => {
    const { upstream, proxy } = await startBoth({ idleBodyMs: 100 }, () => {});
    const client = proxy.open();
    client.socket.write(
      `POST http://up.test:${upstream.port}/ HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc`,
    );
    await until(() => client.closed || client.ended);
    expect(client.received).toMatch(/^HTTP\/1.1 504/);
    expect(proxy.gate.requests).toBe(0);
  });

  it('resolves a few names at a time, and the rest get their turn', async () => {
    const upstream = await startUpstream();
    const waiting: (() => void)[] = [];
    const lookup = async () => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return ['127.0.0.1'];
    };
    const proxy = await startProxy(
      { allowed_domains: [`internal:.test:${upstream.port}`] },
      { lookup, limits: { lookups: 2 } },
    );
    const names = Array.from({ length: 20 }, (_, index) => `a${index}.test`);
    const asked = Promise.all(
      names.map((name) => proxy.ask(`GET http://${name}:${upstream.port}/ HTTP/1.1\r\nHost: a\r\n\r\n`)),
    );
    await until(() => proxy.gate.requests === 20);
    let most = 0;
    for (let left = names.length; left > 0; left -= 1) {
      await until(() => waiting.length > 0);
      most = Math.max(most, waiting.length);
      waiting.shift()?.();
    }
    expect((await asked).filter((answer) => answer.endsWith('hello'))).toHaveLength(20);
    expect(most).toBe(2);
  });

  it('can have its connections ended all at once', async () => {
    const { upstream, proxy } = await startBoth({}, () => {});
    const client = proxy.open();
    client.socket.write(get(upstream.port));
    await until(() => upstream.connections.length === 1);
    proxy.gate.close();
    await until(() => client.closed || client.ended);
    expect(proxy.gate.requests).toBe(0);
    const late = proxy.open();
    await until(() => late.closed || late.ended);
  });
});
