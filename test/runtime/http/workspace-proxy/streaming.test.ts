import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { must } from '../../../support/must.ts';
import { eventually } from './eventually.ts';
import { BEARER, ProxyWorld, tellsRequest } from './proxy-world.ts';

describe('what streams to and from a workspace', () => {
  let world: ProxyWorld;
  beforeEach(async () => {
    world = await ProxyWorld.open();
  });
  afterEach(() => world[Symbol.asyncDispose]());

  const sent = (path: string, options: Parameters<typeof httpRequest>[1] = {}) =>
    httpRequest(`${world.url}${path}`, { ...options, headers: { ...BEARER, ...options.headers } });

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
});
