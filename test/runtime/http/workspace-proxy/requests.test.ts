import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
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
  const sent = (path: string, options: Parameters<typeof httpRequest>[1] = {}) =>
    httpRequest(`${world.url}${path}`, { ...options, headers: { ...BEARER, ...options.headers } });

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

  it('pass bodies of a length and in chunks, with trailers both ways', async () => {
    const seen: unknown[] = [];
    await world.running(async (request, response) => {
      const body = await text(request);
      seen.push([
        request.headers['content-length'],
        request.headers['transfer-encoding'],
        body,
        request.trailers,
      ]);
      response.writeHead(200, { trailer: 'x-sum' });
      response.write(body);
      response.addTrailers({ 'X-Sum': '42', 'Set-Cookie': 'berth_session=evil' });
      response.end();
    });
    const length = sent('/w/one/', { method: 'POST', headers: { 'content-length': 3 } });
    length.end('abc');
    const [answer] = (await once(length, 'response')) as [IncomingMessage];
    expect(await text(answer)).toBe('abc');
    expect(answer.trailers).toEqual({ 'x-sum': '42' });

    const chunks = sent('/w/one/', { method: 'POST' });
    chunks.write('a');
    chunks.addTrailers({ 'X-Client': 'yes' });
    chunks.end('bc');
    await text(((await once(chunks, 'response')) as [IncomingMessage])[0]);
    const withBody = sent('/w/one/', { method: 'GET', headers: { 'transfer-encoding': 'chunked' } });
    withBody.end('of a GET');
    await text(((await once(withBody, 'response')) as [IncomingMessage])[0]);
    await world.fetch('/w/one/', { method: 'POST' });
    expect(seen).toEqual([
      ['3', undefined, 'abc', {}],
      [undefined, 'chunked', 'abc', { 'x-client': 'yes' }],
      [undefined, 'chunked', 'of a GET', {}],
      ['0', undefined, '', {}],
    ]);
  });

  it('let the container say whether to go on with a body', async () => {
    const server = await world.running(tellsRequest);
    server.on('checkContinue', async (request, response) => {
      if (request.url === '/no') response.writeHead(403).end('no');
      else {
        response.writeContinue();
        response.end(await text(request));
      }
    });
    const expecting = { method: 'PUT', headers: { expect: '100-continue', 'content-length': 4 } };
    const yes = sent('/w/one/yes', expecting);
    yes.flushHeaders();
    await once(yes, 'continue');
    yes.end('body');
    expect(await text(((await once(yes, 'response')) as [IncomingMessage])[0])).toBe('body');

    const no = sent('/w/one/no', expecting);
    const went = vi.fn();
    no.on('continue', went).on('error', () => {});
    no.flushHeaders();
    expect(((await once(no, 'response')) as [IncomingMessage])[0].statusCode).toBe(403);
    expect(went).not.toHaveBeenCalled();
    no.destroy();
    // The API's own clients are told to go on, as before.
    const api = sent('/v1/nothing', expecting);
    const answered = once(api, 'response');
    api.flushHeaders();
    await once(api, 'continue');
    api.end('body');
    expect(((await answered) as [IncomingMessage])[0].statusCode).toBe(404);
  });

  it('pass early hints', async () => {
    await world.running((_, response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' });
      response.end('ok');
    });
    const hinted = sent('/w/one/');
    const hints = once(hinted, 'information');
    const answered = once(hinted, 'response');
    hinted.end();
    expect((await hints)[0]).toMatchObject({
      statusCode: 103,
      headers: { link: '</style.css>; rel=preload; as=style' },
    });
    expect(await text(((await answered) as [IncomingMessage])[0])).toBe('ok');
  });

  it('carry 20 MB up and back, unchanged', async () => {
    await world.running((request, response) => void request.pipe(response));
    const content = randomBytes(20 * 1024 * 1024);
    const answer = await world.fetch('/w/one/', { method: 'POST', body: content });
    const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
    expect(hash(new Uint8Array(await answer.arrayBuffer()))).toBe(hash(content));
  });

  it('pass headers of 40 KB, and answer 502 to more than 64', async () => {
    await world.running((request, response) =>
      response.setHeader('X-Large', 'x'.repeat(request.url === '/more' ? 70_000 : 40_000)).end('ok'),
    );
    const answer = await new Promise<IncomingMessage>((resolve) =>
      sent('/w/one/', { maxHeaderSize: 100_000 }).on('response', resolve).end(),
    );
    expect(answer.headers['x-large']).toHaveLength(40_000);
    expect(await text(answer)).toBe('ok');
    expect((await world.fetch('/w/one/more')).status).toBe(502);
  });

  it('see events as they come, and the head before the first one', async () => {
    let send: (text: string) => void = () => {};
    await world.running((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      send = (line) => response.write(line);
    });
    const answer = await world.fetch('/w/one/');
    const reader = must(answer.body).getReader();
    for (const event of ['data: 1\n\n', 'data: 2\n\n']) {
      send(event);
      expect(Buffer.from(must((await reader.read()).value)).toString()).toBe(event);
    }
    await reader.cancel();
  });

  it('hold back whoever sends faster than the other takes', async () => {
    let written = 0;
    await world.running((request, response) => {
      if (request.method === 'POST') return; // takes nothing
      const more = () => {
        do written += 64 * 1024;
        while (!response.destroyed && response.write(Buffer.alloc(64 * 1024)));
      };
      response.on('drain', more);
      more();
    });
    const settled = async (figure: () => number) => {
      let before = -1;
      await vi.waitUntil(
        () => {
          const same = figure() === before && before > 0;
          before = figure();
          return same;
        },
        { interval: 300, timeout: 10_000 },
      );
      return before;
    };
    const slow = sent('/w/one/').end();
    const [answer] = (await once(slow, 'response')) as [IncomingMessage];
    answer.pause();
    // What the sockets of three processes' kernels hold, and no more.
    expect(await settled(() => written)).toBeLessThan(30 * 1024 * 1024);
    slow.destroy();

    let uploaded = 0;
    const upload = sent('/w/one/', { method: 'POST' }).on('error', () => {});
    const push = () => {
      do uploaded += 64 * 1024;
      while (!upload.destroyed && upload.write(Buffer.alloc(64 * 1024)));
    };
    upload.on('drain', push);
    push();
    expect(await settled(() => uploaded)).toBeLessThan(30 * 1024 * 1024);
    upload.destroy();
  });

  it('end in the container when the client goes, before and within an answer', async () => {
    const gone: string[] = [];
    const came: string[] = [];
    await world.running((request, response) => {
      came.push(request.url ?? '');
      response.on('close', () => gone.push(request.url ?? ''));
      if (request.url === '/within') response.write('some');
    });
    for (const path of ['/before', '/within']) {
      const request = sent(`/w/one${path}`).on('error', () => {});
      request.end();
      if (path === '/within') await once(request, 'response');
      await eventually(() => expect(came).toContain(path));
      request.destroy();
      await eventually(() => expect(gone).toContain(path));
    }
  });

  it('are cut where the container is, so that nothing looks whole', async () => {
    await world.running((_, response) => {
      response.write('half');
      setTimeout(() => response.socket?.destroy(), 50);
    });
    const answer = await world.fetch('/w/one/');
    await expect(answer.text()).rejects.toThrow();
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
