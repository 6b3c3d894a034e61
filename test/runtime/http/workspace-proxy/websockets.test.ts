import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tenant, workspace } from '../../../contract/database/workspace-scenario.ts';
import { must } from '../../../support/must.ts';
import { accept, closing, frame, onFrames } from './echo-socket.ts';
import { eventually } from './eventually.ts';
import { BEARER, KEY, ProxyWorld, tellsRequest } from './proxy-world.ts';

const HANDSHAKE =
  'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';

describe('WebSockets to a workspace', () => {
  let world: ProxyWorld;
  let server: Server;
  let seen: IncomingMessage[];
  let upstream: Socket | undefined;
  beforeEach(async () => {
    world = await ProxyWorld.open();
    seen = [];
    server = await world.running(tellsRequest);
    server.on('upgrade', (request, socket) => {
      seen.push(request);
      upstream = socket as Socket; // of a real server
      upstream.on('error', () => {});
      accept(request, socket, [
        'Sec-WebSocket-Protocol: chat',
        'Set-Cookie: berth_session=evil',
        'Set-Cookie: a=1; Path=/',
      ]);
      onFrames(socket, ({ kind, payload }) => {
        if (kind === 'text') socket.write(frame('text', payload));
        if (kind === 'close') socket.end(frame('close', payload));
      });
    });
  });
  afterEach(() => world[Symbol.asyncDispose]());

  // Node's client takes headers, unlike a browser's.
  const open = (headers: Record<string, string>, path = '/w/one/socket?x=1') =>
    new WebSocket(`${world.url.replace('http', 'ws')}${path}`, {
      headers,
      protocols: ['chat'],
    } as unknown as string[]);
  const message = async (socket: WebSocket) => must((await once(socket, 'message'))[0] as MessageEvent).data;
  const closed = async (socket: WebSocket) => {
    const { code, reason } = must((await once(socket, 'close'))[0] as CloseEvent);
    return [code, reason];
  };
  const handshake = (more: string, path = '/w/one/') =>
    world.raw(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${world.port}\r\n${HANDSHAKE}${more}\r\n`);

  it('pass messages, with our key and cookie left out and the path without the prefix', async () => {
    const socket = open({ ...BEARER, cookie: 'a=1; berth_session=x' });
    await once(socket, 'open');
    expect(socket.protocol).toBe('chat');
    socket.send('hello');
    expect(await message(socket)).toBe('hello');
    const [request] = seen;
    expect(request?.url).toBe('/socket?x=1');
    expect(request?.headers).toMatchObject({ cookie: 'a=1', 'x-forwarded-prefix': '/w/one' });
    expect(request?.headers.authorization).toBeUndefined();
    socket.close();
    await once(socket, 'close');
  });

  it('let no container set our cookie in its answer', async () => {
    const client = world.connect();
    client.write(`GET /w/one/ HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${KEY}\r\n${HANDSHAKE}\r\n`);
    const [answer] = (await once(client, 'data')) as [Buffer];
    expect(String(answer)).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/);
    expect(String(answer)).toContain('Set-Cookie: a=1; Path=/w/one/\r\n');
    expect(String(answer)).not.toContain('evil');
    client.destroy();
  });

  it('pass a large message in pieces, unchanged', async () => {
    const socket = open(BEARER);
    await once(socket, 'open');
    for (let at = 0; at < 200; at += 1) socket.send(String(at).padEnd(20_000, 'x'));
    const received: string[] = [];
    socket.addEventListener('message', ({ data }) => received.push(data));
    await eventually(() => expect(received).toHaveLength(200));
    expect(received.map((text) => Number.parseInt(text, 10))).toEqual(
      Array.from({ length: 200 }, (_, at) => at),
    );
    socket.close();
  });

  it('pass the code and words of a close, from either side', async () => {
    const theirs = open(BEARER);
    await once(theirs, 'open');
    upstream?.end(closing(4001, 'enough'));
    expect(await closed(theirs)).toEqual([4001, 'enough']);

    const ours = open(BEARER);
    await once(ours, 'open');
    const frames: { kind: string; payload: Buffer }[] = [];
    onFrames(must(upstream), (each) => frames.push(each));
    ours.close(4002, 'bye');
    expect(await closed(ours)).toEqual([4002, 'bye']);
    expect(frames[0]?.kind).toBe('close');
    expect(frames[0]?.payload.readUInt16BE()).toBe(4002);
  });

  it('end on one side when the other goes', async () => {
    const client = world.connect();
    client.write(`GET /w/one/ HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${KEY}\r\n${HANDSHAKE}\r\n`);
    await once(client, 'data');
    const gone = once(must(upstream), 'end');
    client.destroy();
    await gone;

    const socket = open(BEARER);
    await once(socket, 'open');
    upstream?.destroy();
    expect(await closed(socket)).toEqual([1006, '']);
  });

  it.each([
    ['their key is taken back', (quick: ProxyWorld) => quick.ring.replace([])],
    ['their container is another one', (quick: ProxyWorld) => quick.observed('RUNNING', 'another')],
    ['the service ends', (quick: ProxyWorld) => quick.proxy.close()],
  ])('end when %s', async (_name, happens) => {
    await using quick = await ProxyWorld.open({ settings: { lookMs: 50 } });
    const container = await quick.running(tellsRequest);
    container.on('upgrade', (request, socket) =>
      accept(
        request,
        socket.on('error', () => {}),
      ),
    );
    const options = { headers: BEARER } as unknown as string[]; // Node's own
    const socket = new WebSocket(`${quick.url.replace('http', 'ws')}/w/one/`, options);
    await once(socket, 'open');
    const ended = once(socket, 'close');
    await happens(quick);
    await ended;
  });

  it('are not opened for foreign pages with a cookie, nor without an origin', async () => {
    const cookie = `Cookie: ${await world.session()}\r\n`;
    const own = `Origin: http://127.0.0.1:${world.port}\r\n`;
    for (const origin of [
      '',
      'Origin: http://evil.test\r\n',
      'Origin: null\r\n',
      `Origin: https://127.0.0.1:${world.port}\r\n`,
      'Origin: http://127.0.0.1\r\n',
    ])
      expect(await handshake(cookie + origin)).toMatch(/^HTTP\/1\.1 403 .*FORBIDDEN/s);
    expect(await handshake(own)).toMatch(/^HTTP\/1\.1 401 /);
    expect(seen).toHaveLength(0);
    const socket = open({ cookie: await world.session(), origin: `http://127.0.0.1:${world.port}` });
    await once(socket, 'open');
    socket.close();
    const keyed = open({ ...BEARER, origin: 'http://evil.test' });
    await once(keyed, 'open');
    keyed.close();
  });

  it('are refused with a problem, and the connection closed', async () => {
    await world.settled('RUNNING', { id: workspace('theirs'), tenant: tenant('other') });
    const bearer = `Authorization: Bearer ${KEY}\r\n`;
    expect(await handshake(bearer, '/w/theirs/')).toMatch(/^HTTP\/1\.1 404 .*WORKSPACE_NOT_FOUND/s);
    expect(await handshake(bearer, '/w/nothing/')).toMatch(/^HTTP\/1\.1 404 .*WORKSPACE_NOT_FOUND/s);
    expect(await handshake(`${bearer}Content-Length: 5\r\n`)).toMatch(/^HTTP\/1\.1 400 /);
    expect(await handshake(`${bearer}Transfer-Encoding: chunked\r\n`)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('get the answer of a container that does not open one', async () => {
    server.removeAllListeners('upgrade');
    server.on('upgrade', (_, socket) =>
      socket.end('HTTP/1.1 426 Upgrade Required\r\nSec-WebSocket-Version: 12\r\nContent-Length: 2\r\n\r\nno'),
    );
    const smuggled = 'GET /w/one/smuggled HTTP/1.1\r\nHost: a\r\n\r\n';
    const received = await handshake(`Authorization: Bearer ${KEY}\r\n\r\n${smuggled}`.replace(/\r\n$/, ''));
    expect(received).toMatch(/^HTTP\/1\.1 426 Upgrade Required\r\n.*\r\n\r\nno$/s);
    expect(received).toMatch(/connection: close/i);

    server.removeAllListeners('upgrade');
    server.on('upgrade', (_, socket) =>
      socket.end('HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n'),
    );
    expect(await handshake(`Authorization: Bearer ${KEY}\r\n`)).toMatch(/^HTTP\/1\.1 502 /);
    server.removeAllListeners('upgrade');
    server.on('upgrade', (_, socket) => socket.destroy());
    expect(await handshake(`Authorization: Bearer ${KEY}\r\n`)).toMatch(/^HTTP\/1\.1 502 /);
  });

  it('pass what the client sends right behind its request', async () => {
    const client = world.connect();
    const masked = Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69]);
    client.write(
      Buffer.concat([
        Buffer.from(`GET /w/one/ HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${KEY}\r\n${HANDSHAKE}\r\n`),
        masked,
      ]),
    );
    let received = '';
    client.on('data', (chunk) => {
      received += chunk.toString('latin1');
    });
    await eventually(() => expect(received.endsWith('hi')).toBe(true));
  });

  it('wake what rests because nobody was there, and wait until it runs', async () => {
    const id = workspace('rested');
    await world.settled('RUNNING', { id });
    const { database } = world.under;
    const [quiet] = await database.workspaces.ttl.quietRunning(0);
    expect(await database.workspaces.ttl.standby(must(quiet))).toBe('done');
    await world.observed('STANDBY', null, id);
    const socket = open(BEARER, '/w/rested/');
    await eventually(async () => expect((await world.scenario.row(id)).desiredState).toBe('RUNNING'));
    await world.serve(id, server);
    await world.observed('RUNNING', 'engine', id);
    await once(socket, 'open');
    socket.close();
  });

  it('wake nothing that its user put to rest, but wait for what is being started', async () => {
    await world.settled('STANDBY', { id: workspace('asleep') });
    expect(await handshake(`Authorization: Bearer ${KEY}\r\n`, '/w/asleep/')).toMatch(
      /^HTTP\/1\.1 503 .*WORKSPACE_UNAVAILABLE/s,
    );
    expect((await world.scenario.row(workspace('asleep'))).desiredState).toBe('STANDBY');

    await world.scenario.made({ id: workspace('starting') });
    const socket = open(BEARER, '/w/starting/');
    await world.serve(workspace('starting'), server);
    await world.observed('RUNNING', 'engine', workspace('starting'));
    await once(socket, 'open');
    socket.close();
  });
});
