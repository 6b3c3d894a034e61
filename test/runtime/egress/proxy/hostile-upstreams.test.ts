import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { listen, startProxy, startUpstream, until } from './proxy-fixture.ts';

const get = (port: number) => `GET http://up.test:${port}/ HTTP/1.1\r\nHost: up.test\r\n\r\n`;

async function against(answer: string, options = {}) {
  const upstream = await startUpstream((socket) => void socket.write(Buffer.from(answer, 'latin1')));
  const proxy = await startProxy({ allowed_domains: [`internal:up.test:${upstream.port}`] }, options);
  return { upstream, proxy };
}

describe('an upstream', () => {
  it.each([
    ['answers garbage', 'garbage\r\n\r\n'],
    ['answers with two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    [
      'answers with a length and chunks',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['answers with a bare line feed', 'HTTP/1.1 200 OK\nContent-Length: 1\n\na'],
    ['answers with a folded header', 'HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 0\r\n\r\n'],
    [
      'switches protocols',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nbytes',
    ],
    ['answers with a huge head', `HTTP/1.1 200 OK\r\nX: ${'a'.repeat(100_000)}\r\n\r\n`],
  ])('that %s is a 502', async (_name, answer) => {
    const { upstream, proxy } = await against(answer);
    expect(await proxy.ask(get(upstream.port))).toMatch(/^HTTP\/1.1 502 Bad Gateway/);
    expect(proxy.gate.stats().passed).toEqual({ upstream_failed: 1 });
    expect(proxy.gate.requests).toBe(0);
  });

  it('that does not listen is a 502', async () => {
    const server = createServer();
    const port = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    const proxy = await startProxy({ allowed_domains: [`internal:up.test:${port}`] });
    expect(await proxy.ask(get(port))).toMatch(/^HTTP\/1.1 502 .*ECONNREFUSED/s);
  });

  it('that closes without an answer is a 502', async () => {
    const upstream = await startUpstream((socket) => void socket.end());
    const proxy = await startProxy({ allowed_domains: [`internal:up.test:${upstream.port}`] });
    expect(await proxy.ask(get(upstream.port))).toMatch(/^HTTP\/1.1 502/);
  });

  it('that never answers is a 504', async () => {
    const { upstream, proxy } = await against('', { limits: { answerMs: 100 } });
    expect(await proxy.ask(get(upstream.port))).toMatch(/^HTTP\/1.1 504 Gateway Timeout/);
    expect(proxy.gate.stats().passed).toEqual({ timed_out: 1 });
    await until(
      () => upstream.connections[0]?.destroyed === true || upstream.connections[0]?.readableEnded === true,
    );
  });

  it.each([
    ['a length', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello'],
    ['chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n'],
  ])('that closes in the middle of a body with %s cuts the client off', async (_name, answer) => {
    const upstream = await startUpstream((socket) => void socket.end(answer));
    const proxy = await startProxy({ allowed_domains: [`internal:up.test:${upstream.port}`] });
    const client = proxy.open();
    client.socket.write(get(upstream.port));
    await until(() => client.closed || client.ended);
    expect(client.received).not.toMatch(/0\r\n\r\n$/);
    await until(() => proxy.gate.stats().passed.upstream_failed === 1);
  });

  it('that stands still in the middle of a body cuts the client off', async () => {
    const { upstream, proxy } = await against('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello', {
      limits: { idleBodyMs: 100 },
    });
    const client = proxy.open();
    client.socket.write(get(upstream.port));
    await until(() => client.closed || client.ended);
    expect(client.received).toContain('hello');
    expect(proxy.gate.stats().passed).toEqual({ timed_out: 1 });
  });

  it('that trickles for ever is cut off when the whole time is over', async () => {
    const upstream = await startUpstream((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const timer = setInterval(() => socket.write('x'), 10);
      socket.on('close', () => clearInterval(timer));
    });
    const proxy = await startProxy(
      { allowed_domains: [`internal:up.test:${upstream.port}`] },
      { limits: { totalMs: 200 } },
    );
    const client = proxy.open();
    client.socket.write(get(upstream.port));
    await until(() => client.closed || client.ended);
    expect(proxy.gate.stats().passed).toEqual({ timed_out: 1 });
  });

  it('shows the head of its answer before the body has begun, and each part as it comes', async () => {
    const { upstream, proxy } = await against('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n');
    const client = proxy.open();
    client.socket.write(get(upstream.port));
    await until(() => client.received.includes('text/event-stream'));
    upstream.connections[0]?.write('data: 1\n\n');
    await until(() => client.received.includes('data: 1'));
    upstream.connections[0]?.end('data: 2\n\n');
    await until(() => client.received.endsWith('0\r\n\r\n'));
  });

  it('that answers before the body has ended is heard, and then the connection is closed', async () => {
    const { upstream, proxy } = await against(
      'HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nno',
    );
    const client = proxy.open();
    client.socket.write(
      `POST http://up.test:${upstream.port}/ HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nabc`,
    );
    await until(() => client.received.endsWith('\r\n\r\nno') && (client.ended || client.closed));
    expect(proxy.gate.requests).toBe(0);
  });

  it('that does not read holds the client back', async () => {
    const server = createServer((socket) => socket.pause());
    const port = await listen(server);
    const proxy = await startProxy(
      { allowed_domains: [`internal:up.test:${port}`] },
      { limits: { idleBodyMs: 300 } },
    );
    const client = proxy.open();
    client.socket.write(
      `POST http://up.test:${port}/ HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n`,
    );
    const chunk = Buffer.alloc(64 * 1024);
    let sent = 0;
    const send = () => {
      while (!client.closed && client.socket.write(chunk)) sent += chunk.length;
    };
    client.socket.on('drain', send);
    send();
    await until(() => client.closed || client.ended, 10_000);
    // What the kernel's buffers and one high-water mark of ours hold.
    expect(sent).toBeLessThan(32 * 1024 * 1024);
    expect(proxy.gate.stats().passed).toEqual({ timed_out: 1 });
  });

  it.each([
    ['by its length', 'Content-Length: 1000000000\r\n\r\n', Buffer.alloc(64 * 1024, 'x'), 0],
    ['in chunks', 'Transfer-Encoding: chunked\r\n\r\n', chunksOf(60_000, 1), 0],
    ['in crumbs', 'Transfer-Encoding: chunked\r\n\r\n', chunksOf(1, 10_000), 0],
    ['until it closes', '\r\n', Buffer.alloc(64 * 1024, 'x'), 0],
    [
      'while another is to be answered before',
      'Content-Length: 1000000000\r\n\r\n',
      Buffer.alloc(64 * 1024, 'x'),
      1,
    ],
  ])('that sends more than the client reads is held back: %s', async (_name, head, piece, silent) => {
    let sent = 0;
    const upstream = await startUpstream((socket) => {
      if (upstream.connections.indexOf(socket) < silent) return;
      socket.write(`HTTP/1.1 200 OK\r\n${head}`);
      const send = () => {
        while (!socket.destroyed && socket.write(piece)) sent += piece.length;
      };
      socket.on('drain', send);
      send();
    });
    const proxy = await startProxy(
      { allowed_domains: [`internal:up.test:${upstream.port}`] },
      { limits: { idleBodyMs: 300, answerMs: 300 } },
    );
    const client = proxy.open();
    client.socket.pause();
    client.socket.write(get(upstream.port));
    if (silent > 0) {
      await until(() => upstream.connections.length === silent);
      client.socket.write(get(upstream.port));
    }
    await until(() => (proxy.gate.stats().passed.timed_out ?? 0) >= 1 && proxy.gate.requests === 0, 10_000);
    // What the kernel's buffers and a few high-water marks of ours hold.
    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThan(32 * 1024 * 1024);
  });
});

function chunksOf(bytes: number, count: number): Buffer {
  return Buffer.from(`${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`.repeat(count));
}
