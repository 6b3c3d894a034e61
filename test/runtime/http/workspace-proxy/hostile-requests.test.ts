import { createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { workspace } from '../../../contract/database/workspace-scenario.ts';
import { KEY, ProxyWorld } from './proxy-world.ts';

describe('a hostile request', () => {
  let world: ProxyWorld;
  /** What containers got, byte for byte. */
  let seen: string;
  let answer: (socket: Socket) => void;

  beforeEach(async () => {
    world = await ProxyWorld.open();
    seen = '';
    answer = (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    const server = createServer((socket) => {
      socket
        .on('error', () => {})
        .on('data', (chunk) => {
          seen += chunk.toString('latin1');
          answer(socket);
        });
    });
    await world.settled('RUNNING');
    await world.serve(workspace(), server);
  });
  afterEach(() => world[Symbol.asyncDispose]());

  const BEARER = `Authorization: Bearer ${KEY}\r\n`;
  const SMUGGLED = `GET /w/one/smuggled HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${BEARER}\r\n`;
  const chunked = 'Transfer-Encoding: chunked\r\n';

  it.each([
    ['two lengths', 'Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc'],
    ['two different lengths', 'Content-Length: 3\r\nContent-Length: 44\r\n\r\nabc'],
    ['a list of lengths', 'Content-Length: 3, 3\r\n\r\nabc'],
    ['a length with a sign', 'Content-Length: +3\r\n\r\nabc'],
    ['a length and chunks', `Content-Length: 3\r\n${chunked}\r\n0\r\n\r\n`],
    ['chunks and a length', `${chunked}Content-Length: 3\r\n\r\n0\r\n\r\n`],
    ['two encodings', `${chunked}${chunked}\r\n0\r\n\r\n`],
    ['a list of encodings', 'Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
    ['an unknown encoding', 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
    ['identity as encoding', 'Transfer-Encoding: identity\r\n\r\n'],
    ['a space before the colon', 'Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n'],
    ['a folded header', 'X: a\r\n b\r\n\r\n'],
    ['a folded encoding', 'Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n'],
    ['a bare line feed', 'X: a\nY: b\r\n\r\n'],
    ['a bare carriage return', 'X: a\rY: b\r\n\r\n'],
    ['a NUL', 'X: a\0b\r\n\r\n'],
    ['two hosts', 'Host: other.test\r\n\r\n'],
    ['a head that is too large', `X: ${'a'.repeat(17_000)}\r\n\r\n`],
    ['a bad size of a chunk', `${chunked}\r\nzz\r\nabc\r\n0\r\n\r\n`],
    ['a size of a chunk that overflows', `${chunked}\r\nffffffffffffffffff\r\nabc\r\n0\r\n\r\n`],
    ['a chunk longer than its size', `${chunked}\r\n1\r\nabc\r\n0\r\n\r\n`],
  ])('with %s is refused, and nothing behind it is taken for a request', async (_name, rest) => {
    const received = await world.raw(`POST /w/one/ HTTP/1.1\r\nHost: a\r\n${BEARER}${rest}${SMUGGLED}`);
    expect(received).not.toContain('200 OK');
    expect(seen).not.toContain('smuggled');
    expect(received.match(/^HTTP\/1\.1 \d+/gm) ?? []).not.toContain('HTTP/1.1 200');
    // A body that turned out to be bad on its way is not ended as if it were whole.
    expect(seen).not.toMatch(/0\r\n\r\n$/);
  });

  it.each([
    ['an absolute address', 'GET http://evil.test/w/one/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n'],
    ['an asterisk', 'OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n'],
    ['an encoded w', 'GET /%77/one/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n'],
    ['two slashes before it', 'GET //w/one/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n'],
    ['dots before it', 'GET /x/../w/one/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n'],
    ['an encoded slash in the id', 'GET /w/two%2f..%2fone/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n'],
    ['an encoded id', 'GET /w/%6fne/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n'],
    ['a backslash behind the id', 'GET /w/two\\../one/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n'],
    ['an id in capitals', 'GET /w/ONE/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n'],
    ['an id of dots', 'GET /w/../one/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n'],
    ['no id', 'GET /w//one/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n'],
    ['a CONNECT', 'CONNECT /w/one/ HTTP/1.1\r\nHost: a\r\n'],
    ['HTTP/1.0 with chunks', `POST /w/one/ HTTP/1.0\r\n${chunked}`],
  ])('with %s reaches no container', async (_name, head) => {
    expect(await world.raw(`${head}${BEARER}\r\n`)).not.toContain('200 OK');
    expect(seen).toBe('');
  });

  it('cannot say more in a header than one', async () => {
    await world.raw(
      `GET /w/one/?a=%0d%0aX-Evil:%201 HTTP/1.1\r\nHost: a\r\n${BEARER}Connection: close\r\nX: %0d%0aY: 1\r\n\r\n`,
    );
    expect(seen).toMatch(/^GET \/\?a=%0d%0aX-Evil:%201 HTTP\/1\.1\r\nHost: a\r\n/);
    expect(seen).not.toMatch(/^(X-Evil|Y):/m);
  });

  it('that names our headers in Connection takes none of them away', async () => {
    const named = 'Connection: close, X-Forwarded-For, X-Forwarded-Prefix, Host, Content-Length\r\n';
    await world.raw(`POST /w/one/ HTTP/1.1\r\nHost: a\r\n${BEARER}${named}Content-Length: 3\r\n\r\nabc`);
    expect(seen).toContain('\r\nX-Forwarded-For: 127.0.0.1\r\n');
    expect(seen).toContain('\r\nX-Forwarded-Prefix: /w/one\r\n');
    expect(seen).toContain('\r\nContent-Length: 3\r\n');
    expect(seen.endsWith('\r\n\r\nabc')).toBe(true);
  });

  it.each([
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc'],
    [
      'a length and chunks',
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a folded header', 'HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 2\r\n\r\nok'],
    ['a bare line feed', 'HTTP/1.1 200 OK\r\nX: a\nContent-Length: 2\r\n\r\nok'],
    ['a control character', 'HTTP/1.1 200 OK\r\nX: a\x01b\r\nContent-Length: 2\r\n\r\nok'],
    [
      'an upgrade that nobody asked for',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    ],
    ['a status of its own', 'HTTP/1.1 99 X\r\nContent-Length: 2\r\n\r\nok'],
  ])('is not needed for a hostile container: %s is answered 502', async (_name, bytes) => {
    answer = (socket) => socket.write(Buffer.from(bytes, 'latin1'));
    const received = await world.raw(`GET /w/one/ HTTP/1.1\r\nHost: a\r\n${BEARER}Connection: close\r\n\r\n`);
    expect(received).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/);
    expect(received).toContain('WORKSPACE_NOT_ANSWERING');
  });

  it('cannot be answered by a container with two answers', async () => {
    answer = (socket) =>
      socket.write(
        'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil',
      );
    const get = (last: boolean) =>
      `GET /w/one/ HTTP/1.1\r\nHost: a\r\n${BEARER}${last ? 'Connection: close\r\n' : ''}\r\n`;
    const received = await world.raw(get(false) + get(true));
    expect(received).not.toContain('evil');
  });
});
