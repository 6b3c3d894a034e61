import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { answerHello, listen, startProxy, startUpstream, stateOf, until } from './proxy-fixture.ts';

const get = (port: number, headers = '', path = '/') =>
  `GET http://up.test:${port}${path} HTTP/1.1\r\nHost: up.test\r\n${headers}\r\n`;

async function proxyTo(upstream: { port: number }, options = {}) {
  return startProxy({ allowed_domains: [`internal:up.test:${upstream.port}`] }, options);
}

describe('a plain request', () => {
  it('goes on with its path as it is, the host it names, and nothing between neighbours', async () => {
    const upstream = await startUpstream();
    const proxy = await proxyTo(upstream);
    const answer = await proxy.ask(
      `GET http://UP.test.:${upstream.port}/a/../%2e/b?c=%20d HTTP/1.1\r\nHost: other.test\r\nX-Kept: 1\r\n` +
        'Connection: keep-alive, x-named\r\nX-Named: 1\r\nProxy-Authorization: Basic x\r\nTE: trailers\r\n' +
        'Upgrade: websocket\r\nVia: 1.1 x\r\nX-Forwarded-For: 1.2.3.4\r\nForwarded: for=x\r\nKeep-Alive: 5\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n.*hello$/s);
    expect(upstream.seen).toEqual([
      `GET /a/../%2e/b?c=%20d HTTP/1.1\r\nHost: up.test:${upstream.port}\r\nX-Kept: 1\r\nConnection: keep-alive\r\n\r\n`,
    ]);
    expect(proxy.gate.stats()).toMatchObject({
      refused: {},
      passed: { forwarded: 1 },
      durations: { http: { count: 1 } },
    });
  });

  it('is refused with the reason when its host is not on the list, and its name is not resolved', async () => {
    const asked: string[] = [];
    const proxy = await startProxy(
      { allowed_domains: ['up.test'] },
      { lookup: async (host: string) => ['127.0.0.1'].slice(asked.push(host)) },
    );
    const answer = await proxy.ask('GET http://evil.test/?secret=1 HTTP/1.1\r\nHost: up.test\r\n\r\n');
    expect(answer).toMatch(
      /^HTTP\/1.1 403 Forbidden\r\n.*\r\n\r\nDomain not in whitelist\nevil.test, port 80: /s,
    );
    expect(asked).toEqual([]);
    expect(proxy.gate.stats().refused).toEqual({ not_allowed: 1 });
    expect(proxy.lines).toMatchObject([
      { container_id: 'ws-000000000001', host: 'evil.test', port: 80, method: 'http', reason: 'not_allowed' },
    ]);
    expect(JSON.stringify(proxy.lines)).not.toContain('secret');
  });

  it('is refused when any of the addresses is private, and the name may not be', async () => {
    const upstream = await startUpstream();
    const proxy = await startProxy(
      { allowed_domains: [`up.test:${upstream.port}`] },
      { lookup: async () => ['1.1.1.1', '127.0.0.1'] },
    );
    expect(await proxy.ask(get(upstream.port))).toMatch(/^HTTP\/1.1 403 .*internal:up.test/s);
    expect(proxy.gate.stats().refused).toEqual({ private_address: 1 });
    expect(upstream.connections).toHaveLength(0);
  });

  it('goes to the address that was judged, which is resolved once for a connection', async () => {
    const upstream = await startUpstream();
    const answers = [['127.0.0.1'], ['169.254.169.254']];
    const proxy = await proxyTo(upstream, { lookup: async () => answers.shift() ?? [] });
    expect(await proxy.ask(get(upstream.port))).toContain('hello');
    expect(await proxy.ask(get(upstream.port))).toContain('hello');
    expect(upstream.connections).toHaveLength(1);
    expect(answers).toHaveLength(1);
  });

  it('does not reuse a connection of a policy that is gone', async () => {
    const upstream = await startUpstream();
    const proxy = await proxyTo(upstream);
    expect(await proxy.ask(get(upstream.port))).toContain('hello');
    proxy.gate.replace(stateOf({ allowed_domains: [`internal:up.test:${upstream.port}`] }));
    expect(await proxy.ask(get(upstream.port))).toContain('hello');
    expect(upstream.connections).toHaveLength(2);
    proxy.gate.replace(stateOf({ allowed_domains: [`up.test:${upstream.port}`] }));
    expect(await proxy.ask(get(upstream.port))).toMatch(/^HTTP\/1.1 403/);
  });

  it('is refused before the gate has rules, and a bad entry leaves the old ones', async () => {
    const upstream = await startUpstream();
    const proxy = await proxyTo(upstream);
    expect(() => proxy.gate.replace(stateOf({ allowed_domains: ['*'] }))).toThrow(/wildcards/);
    expect(await proxy.ask(get(upstream.port))).toContain('hello');
    proxy.gate.close();
    expect(proxy.gate.state).toBeUndefined();
  });

  it('keeps the connection, and answers in order what was sent ahead', async () => {
    const upstream = await startUpstream((socket, seen) => {
      const path = seen.split('GET ').at(-1)?.split(' ')[0] ?? '';
      setTimeout(
        () => socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${path.length}\r\n\r\n${path}`),
        path === '/1' ? 50 : 0,
      );
    });
    const proxy = await proxyTo(upstream);
    const client = proxy.open();
    client.socket.write(
      get(upstream.port, '', '/1') + get(upstream.port, '', '/2') + get(upstream.port, '', '/3'),
    );
    await until(() => client.received.endsWith('/3'));
    expect(client.received.match(/\/\d$|\/\d(?=HTTP)/g)).toEqual(['/1', '/2', '/3']);
    expect(client.ended).toBe(false);
  });

  it('passes bodies of both framings on, without trailers', async () => {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => response.end(`${JSON.stringify(request.rawTrailers)}${Buffer.concat(chunks)}`));
    });
    const upstream = { port: await listen(server) };
    const proxy = await proxyTo(upstream);
    const head = `POST http://up.test:${upstream.port}/ HTTP/1.1\r\nHost: a\r\n`;
    expect(await proxy.ask(`${head}Content-Length: 3\r\n\r\nabc`)).toMatch(/\[\]abc$/);
    const chunked = `${head}Transfer-Encoding: chunked\r\nTrailer: x\r\n\r\n3;ext=1\r\nabc\r\n2\r\nde\r\n0\r\nX: y\r\n\r\n`;
    expect(await proxy.ask(chunked)).toMatch(/\[\]abcde$/);
  });

  it.each([
    ['in one piece', 2_000_000, (body: string) => `Content-Length: ${body.length}\r\n\r\n${body}`],
    [
      'in crumbs',
      20_000,
      (body: string) =>
        `Transfer-Encoding: chunked\r\n\r\n${[...body].map((byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`,
    ],
  ])('passes a large body on %s', async (_name, length, framed) => {
    const server = createServer((request, response) => void request.pipe(response));
    const upstream = { port: await listen(server) };
    const proxy = await proxyTo(upstream);
    const body = randomBytes(length / 2).toString('hex');
    const head = `POST http://up.test:${upstream.port}/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n`;
    const answer = await proxy.ask(head + framed(body));
    const chunks = answer.slice(answer.indexOf('\r\n\r\n') + 4).split('\r\n');
    expect(chunks.filter((_chunk, index) => index % 2 === 1).join('') === body).toBe(true);
  });

  it('answers 100 itself when the client waits for it, and only to what is let through', async () => {
    const upstream = await startUpstream((socket, seen) => {
      if (seen.endsWith('abc')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello');
    });
    const proxy = await proxyTo(upstream);
    const client = proxy.open();
    client.socket.write(
      `POST http://up.test:${upstream.port}/ HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n`,
    );
    await until(() => client.received === 'HTTP/1.1 100 Continue\r\n\r\n');
    client.socket.write('abc');
    await until(() => client.received.endsWith('hello'));
    expect(upstream.seen[0]).not.toMatch(/expect/i);
    const refused = `POST http://no.test/ HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n`;
    expect(await proxy.ask(refused)).toMatch(/^HTTP\/1.1 403 .*Connection: close/s);
  });

  it('gives a redirect back', async () => {
    const upstream = await startUpstream((socket) => {
      socket.write('HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n');
    });
    const proxy = await proxyTo(upstream);
    expect(await proxy.ask(get(upstream.port))).toMatch(
      /^HTTP\/1.1 302 Found\r\nLocation: http:\/\/169.254.169.254\//,
    );
  });

  it('is answered to a client of HTTP/1.0 without chunks', async () => {
    const upstream = await startUpstream((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n');
    });
    const proxy = await proxyTo(upstream);
    const answer = await proxy.ask(`GET http://up.test:${upstream.port}/ HTTP/1.0\r\n\r\n`);
    expect(answer).toMatch(/\r\n\r\nhello$/);
    expect(answer).not.toMatch(/transfer-encoding/i);
  });

  it('is sent again when the pooled connection it went over turns out to be closed', async () => {
    let answered = 0;
    const upstream = await startUpstream((socket, seen) => {
      if (seen.match(/GET/g)?.length === 2) socket.destroy();
      else answerHello(socket, seen);
      answered += 1;
    });
    const proxy = await proxyTo(upstream);
    expect(await proxy.ask(get(upstream.port))).toContain('hello');
    expect(await proxy.ask(get(upstream.port))).toContain('hello');
    expect(answered).toBe(3);
    expect(upstream.connections).toHaveLength(2);
  });
});
