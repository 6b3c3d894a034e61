import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { must } from '../../../support/must.ts';
import { eventually } from './eventually.ts';
import { BEARER, KEY, ProxyWorld, tellsRequest } from './proxy-world.ts';

describe('requests to a workspace', () => {
  let world: ProxyWorld;
  beforeEach(async () => {
    world = await ProxyWorld.open();
  });
  afterEach(() => world[Symbol.asyncDispose]());

  const ask = async (path: string, headers: Record<string, string> = {}) =>
    (await (await world.fetch(path, { headers })).json()) as {
      method: string;
      url: string;
      headers: Record<string, string>;
    };

  it('arrive without the prefix, path and query as they were', async () => {
    await world.running(tellsRequest);
    for (const rest of ['/', '/a/b?c=%2f&d', '/a%2fb', '//a', '/%2e%2e/x', '/../x', '/a?/w/other/', '/?#a']) {
      const { text: told } = await world.browse(`/w/one${rest}`, BEARER);
      expect(JSON.parse(told).url).toBe(rest);
    }
  });

  it('tell where they came from, whatever the client says', async () => {
    await world.running(tellsRequest);
    const told = await ask('/w/one/', {
      'x-forwarded-for': '1.2.3.4',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'evil.test',
      'x-forwarded-prefix': '/evil',
      'x-real-ip': '1.2.3.4',
      forwarded: 'for=1.2.3.4',
      x_forwarded_for: '1.2.3.4',
    });
    expect(told.headers).toMatchObject({
      host: `127.0.0.1:${world.port}`,
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': `127.0.0.1:${world.port}`,
      'x-forwarded-prefix': '/w/one',
    });
    expect(JSON.stringify(told.headers)).not.toMatch(/1\.2\.3\.4|evil/);
  });

  it('tell the way that a trusted proxy saw', async () => {
    await using behind = await ProxyWorld.open({ settings: { trustedProxies: ['loopback', '10.0.0.0/8'] } });
    await behind.running(tellsRequest);
    const answer = await behind.fetch('/w/one/', {
      headers: {
        'x-forwarded-for': '1.2.3.4, 10.0.0.7',
        'x-forwarded-proto': 'https',
        'x-forwarded-host': 'seen.test',
      },
    });
    expect(((await answer.json()) as { headers: unknown }).headers).toMatchObject({
      'x-forwarded-for': '1.2.3.4, 10.0.0.7, 127.0.0.1',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'seen.test',
      'x-forwarded-prefix': '/w/one',
    });
    await eventually(() => expect(behind.log).toContainEqual(expect.objectContaining({ client: '1.2.3.4' })));
  });

  it('keep what is for the container, and lose what is for us', async () => {
    await world.running(tellsRequest);
    const told = await ask('/w/one/', {
      cookie: 'a=1; berth_session=x; berth_sessions=2;__Host-berth_session=y; b="berth_session=3"',
    });
    expect(told.headers.cookie).toBe('a=1; berth_sessions=2; b="berth_session=3"');
    expect(told.headers.authorization).toBeUndefined();
    expect(JSON.stringify(told)).not.toContain(KEY);

    const cookie = await world.session();
    const answer = await fetch(`${world.url}/w/one/`, { headers: { cookie, authorization: 'Basic YTpi' } });
    const { headers } = (await answer.json()) as { headers: Record<string, string> };
    expect(headers.authorization).toBe('Basic YTpi');
    expect(headers.cookie).toBeUndefined();
    const both = await fetch(`${world.url}/w/one/`, {
      headers: { cookie, authorization: 'Bearer berth_old' },
    });
    expect(
      ((await both.json()) as { headers: Record<string, string> }).headers.authorization,
    ).toBeUndefined();
  });

  it('lose what is between neighbours, and what Connection names, both ways', async () => {
    await world.running((request, response) => {
      response.setHeader('Connection', 'x-secret');
      response.setHeader('X-Secret', 'upstream');
      response.setHeader('Proxy-Authenticate', 'Basic');
      response.setHeader('Keep-Alive', 'timeout=1');
      tellsRequest(request, response);
    });
    const received = await world.raw(
      `GET /w/one/ HTTP/1.1\r\nHost: a.test\r\nAuthorization: Bearer ${KEY}\r\nConnection: close, X-Mine\r\nX-Mine: 1\r\n` +
        'X-Theirs: 1\r\nProxy-Authorization: Basic x\r\nProxy-Connection: keep-alive\r\nTE: trailers, gzip\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\n\r\n',
    );
    const [head = '', body = ''] = received.split('\r\n\r\n');
    expect(head).not.toMatch(/x-secret|proxy-authenticate|timeout=1\b/i);
    const { headers } = JSON.parse(body.slice(body.indexOf('{'), body.lastIndexOf('}') + 1));
    expect(headers).toMatchObject({ 'x-theirs': '1', te: 'trailers', host: 'a.test' });
    for (const name of ['x-mine', 'proxy-authorization', 'proxy-connection', 'upgrade', 'http2-settings'])
      expect(headers).not.toHaveProperty(name);
  });

  it.each([
    ['/login?next=/', '/w/one/login?next=/'],
    ['/', '/w/one/'],
    ['/w/one/x', '/w/one/x'],
    ['relative', 'relative'],
    ['?q', '?q'],
    ['//other.test/x', '//other.test/x'],
    ['https://other.test/x', 'https://other.test/x'],
    ['http://HOST/x', 'http://HOST/w/one/x'],
    ['http://HOST', 'http://HOST/w/one/'],
    ['/w/two/', '/w/one/w/two/'],
  ])('are redirected to %s within the workspace', async (given, expected) => {
    const here = (text: string) => text.replace('HOST', `127.0.0.1:${world.port}`);
    await world.running((_, response) => response.writeHead(302, { location: here(given) }).end());
    const answer = await world.fetch('/w/one/');
    expect(answer.headers.get('location')).toBe(here(expected));
  });

  it('set cookies for their workspace alone, and never ours', async () => {
    const cookies = [
      'a=1',
      'b=2; Path=/; Domain=127.0.0.1; HttpOnly',
      'c=3; path=/x;Secure',
      'd=4; Path=/w/one/y',
      'e=5; Path=/w/two/',
      'berth_session=evil; Path=/w/two/',
      ' __HOST-berth_session =evil; Secure; Path=/',
      '=berth_session=evil',
      'berth_session',
    ];
    await world.running((_, response) => response.setHeader('Set-Cookie', cookies).end());
    expect((await world.fetch('/w/one/')).headers.getSetCookie()).toEqual([
      'a=1',
      'b=2; Path=/w/one/; HttpOnly',
      'c=3; Path=/w/one/x;Secure',
      'd=4; Path=/w/one/y',
      'e=5; Path=/w/one/w/two/',
    ]);
  });

  it('are told nothing that reaches further than their workspace', async () => {
    await world.running((_, response) =>
      response
        .setHeader('Service-Worker-Allowed', '/')
        .setHeader('Clear-Site-Data', '"*"')
        .setHeader('Alt-Svc', 'h2="evil.test:443"')
        .end('ok'),
    );
    const { headers } = await world.fetch('/w/one/');
    for (const name of ['service-worker-allowed', 'clear-site-data', 'alt-svc'])
      expect(headers.has(name)).toBe(false);
  });

  it('get a slash behind the id, without a key', async () => {
    const answer = await fetch(`${world.url}/w/one?a=1`, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([307, '/w/one/?a=1']);
  });

  it('keep their method, and what has no body has none', async () => {
    await world.running((request, response) => {
      response.setHeader('X-Method', request.method ?? '');
      if (request.url === '/204') response.writeHead(204).end();
      else if (request.url === '/304') response.writeHead(304, { etag: '"x"' }).end();
      else response.setHeader('Content-Length', 5).end(request.method === 'HEAD' ? undefined : 'hello');
    });
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'POST']) {
      expect((await world.fetch('/w/one/', { method })).headers.get('x-method')).toBe(method);
    }
    const head = await world.fetch('/w/one/', { method: 'HEAD' });
    expect([head.headers.get('x-method'), head.headers.get('content-length')]).toEqual(['HEAD', '5']);
    expect((await world.fetch('/w/one/204')).status).toBe(204);
    expect((await world.fetch('/w/one/304')).status).toBe(304);
    // One connection for all of them: nothing was left on it that does not belong there.
    const received = await world.raw(
      ['HEAD /w/one/', 'GET /w/one/204', 'GET /w/one/304', 'GET /w/one/']
        .map(
          (line, at) =>
            `${line} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${KEY}\r\n${at === 3 ? 'Connection: close\r\n' : ''}\r\n`,
        )
        .join(''),
    );
    expect(received.match(/HTTP\/1\.1 (\d+)/g)).toEqual([
      'HTTP/1.1 200',
      'HTTP/1.1 204',
      'HTTP/1.1 304',
      'HTTP/1.1 200',
    ]);
    expect(received.endsWith('\r\n\r\nhello')).toBe(true);
  });

  it('are answered 502 where nothing listens, breaks off or speaks no HTTP', async () => {
    const server = await world.running((request, response) => {
      if (request.url === '/broken') response.socket?.destroy();
      else response.socket?.end('220 smtp ready\r\n');
    });
    for (const [path, why] of [
      ['/broken', 'broke the connection off'],
      ['/smtp', 'no valid HTTP'],
    ]) {
      const answer = await world.fetch(`/w/one${path}`);
      expect(await answer.json()).toMatchObject({
        status: 502,
        code: 'WORKSPACE_NOT_ANSWERING',
        detail: expect.stringContaining(must(why)),
      });
    }
    server.close();
    server.closeAllConnections();
    const page = await world.browse('/w/one/', BEARER);
    expect([page.status, page.headers['content-type']]).toEqual([502, 'text/html; charset=utf-8']);
    expect(page.text).toContain('WORKSPACE_NOT_ANSWERING');
  });

  it('use a connection again, and another one where that was closed meanwhile', async () => {
    const connections: unknown[] = [];
    const server = await world.running((_, response) => response.end('ok'));
    server.on('connection', (socket) => connections.push(socket));
    for (let at = 0; at < 5; at += 1) await (await world.fetch('/w/one/')).text();
    expect(connections).toHaveLength(1);
    // It closes just as the next request is on its way: the answer never comes.
    server.removeAllListeners('request');
    server.once('request', (request) => request.socket.destroy());
    server.on('request', (request, response) => {
      if (!request.socket.destroyed) response.end('again');
    });
    expect(await (await world.fetch('/w/one/')).text()).toBe('again');
    expect(connections).toHaveLength(2);
  });

  it('never go to another incarnation over a connection that was kept', async () => {
    const old = await world.running((_, response) => response.end('old'));
    const closed = vi.fn();
    old.on('connection', (socket) => socket.on('close', closed));
    expect(await (await world.fetch('/w/one/')).text()).toBe('old');
    // The same address, as a container's may be: only the engine's id tells them apart.
    old.removeAllListeners('request');
    old.on('request', (_, response) => response.end('new'));
    await world.observed('RUNNING', 'another');
    const connections = vi.fn();
    old.on('connection', connections);
    expect(await (await world.fetch('/w/one/')).text()).toBe('new');
    expect(connections).toHaveBeenCalledOnce();
    await eventually(() => expect(closed).toHaveBeenCalledOnce());
  });

  it('that are open end when their container is seen to be gone', async () => {
    await using quick = await ProxyWorld.open({ settings: { lookMs: 50 } });
    await quick.running((_, response) => response.write('some'));
    const answer = await quick.fetch('/w/one/');
    const body = answer.text();
    body.catch(() => {});
    await quick.observed('STANDBY', null);
    await expect(body).rejects.toThrow();
  });

  it('reach a container on a socket', async () => {
    await world.running(tellsRequest);
    const path = `/tmp/berth-proxy-test-${process.pid}.sock`;
    const server = createServer((_, response) => response.end('by socket'));
    await new Promise<void>((resolve) => server.listen(path, resolve));
    const upstreams = world.directory.reach.bind(world.directory);
    vi.spyOn(world.directory, 'reach').mockImplementation(async (row) => {
      const found = await upstreams(row);
      return found && { ...found, endpoint: { kind: 'socket', path } };
    });
    expect(await (await world.fetch('/w/one/')).text()).toBe('by socket');
    server.close();
    server.closeAllConnections();
  });

  it('of HTTP/1.0 are answered without chunks', async () => {
    await world.running((_, response) => {
      response.write('a');
      response.end('b');
    });
    const received = await world.raw(
      `GET /w/one/ HTTP/1.0\r\nHost: a\r\nAuthorization: Bearer ${KEY}\r\n\r\n`,
    );
    expect(received.endsWith('\r\n\r\nab')).toBe(true);
    expect(received).not.toMatch(/chunked/i);
  });

  it('leave the API as it is', async () => {
    await world.running(tellsRequest);
    for (const path of ['/v1/nothing', '//w/one/', '/w', '/W/one/', '/x/../w/one/', '/%77/one/'])
      expect((await world.browse(path, BEARER)).text).toContain('ROUTE_NOT_FOUND');
  });
});
