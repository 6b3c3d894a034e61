import { describe, expect, it } from 'vitest';
import { startProxy, startUpstream, until } from './proxy-fixture.ts';

const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;

async function against(answer: string) {
  const upstream = await startUpstream((socket) => void socket.write(Buffer.from(answer, 'latin1')));
  const proxy = await startProxy({ allowed_domains: [`internal:up.test:${upstream.port}`] });
  const ask = (method = 'GET') =>
    proxy.ask(`${method} http://up.test:${upstream.port}/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  return { upstream, proxy, ask };
}

describe('an answer', () => {
  it.each([
    ['no status', 'HTTP/1.1\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n'],
    ['a status below 100', 'HTTP/1.1 099 Odd\r\n\r\n'],
    ['two spaces before its status', 'HTTP/1.1  200 OK\r\n\r\n'],
    ['HTTP/2', 'HTTP/2 200\r\n\r\n'],
    ['HTTP/1.2', 'HTTP/1.2 200 OK\r\n\r\n'],
    ['HTTP/0.9', '<html>hello</html>'],
    ['a version in lower case', 'http/1.1 200 OK\r\n\r\n'],
    ['an empty line before it', `\r\n${OK}Content-Length: 0\r\n\r\n`],
    ['a NUL in its reason', 'HTTP/1.1 200 O\0K\r\nContent-Length: 0\r\n\r\n'],
    ['a bare CR in its reason', 'HTTP/1.1 200 O\rK\r\nContent-Length: 0\r\n\r\n'],
    ['a bare CR in a value', `${OK}X: a\rSet-Cookie: b\r\nContent-Length: 0\r\n\r\n`],
    ['a bare CR before the end of a line', `${OK}X: a\r\r\nContent-Length: 0\r\n\r\n`],
    ['a bare LF in a value', `${OK}X: a\nSet-Cookie: b\r\nContent-Length: 0\r\n\r\n`],
    ['a bare LF as the head ends', `${OK}Content-Length: 0\r\n\n`],
    ['a control character in a value', `${OK}X: a\x01b\r\nContent-Length: 0\r\n\r\n`],
    ['a DEL in a value', `${OK}X: a\x7fb\r\nContent-Length: 0\r\n\r\n`],
    ['a folded header', `${OK}X: a\r\n b\r\nContent-Length: 0\r\n\r\n`],
    ['a folded first header', `${OK} X: a\r\nContent-Length: 0\r\n\r\n`],
    ['a space before a colon', `${OK}Content-Length : 0\r\n\r\n`],
    ['a header without a name', `${OK}: a\r\nContent-Length: 0\r\n\r\n`],
    ['a header without a colon', `${OK}X\r\nContent-Length: 0\r\n\r\n`],
    ['a name that is no token', `${OK}X(Y): a\r\nContent-Length: 0\r\n\r\n`],
    ['a name with a high byte', `${OK}X\xe4: a\r\nContent-Length: 0\r\n\r\n`],
    ['the same length twice', `${OK}Content-Length: 1\r\ncontent-length: 1\r\n\r\na`],
    ['a list of lengths', `${OK}Content-Length: 1, 1\r\n\r\na`],
    ['an empty length', `${OK}Content-Length:\r\n\r\n`],
    ['a length with a sign', `${OK}Content-Length: +1\r\n\r\na`],
    ['a length in hex', `${OK}Content-Length: 0x1\r\n\r\na`],
    ['a length with a no-break space', `${OK}Content-Length: 1\xa0\r\n\r\na`],
    ['a length past all numbers', `${OK}Content-Length: 9999999999999999\r\n\r\na`],
    ['chunks, then a length', `${OK}Transfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n0\r\n\r\n`],
    ['two encodings', `${OK}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['a list of encodings', `${OK}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
    ['an encoding that is not known', `${OK}Transfer-Encoding: identity\r\n\r\n`],
    ['an empty encoding', `${OK}Transfer-Encoding:\r\n\r\n`],
    ['chunks in HTTP/1.0', 'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    [
      'a length and chunks with 204',
      'HTTP/1.1 204 No\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    ],
    ['too many headers', `${OK}${'X: a\r\n'.repeat(129)}Content-Length: 0\r\n\r\n`],
    ['a head that is too long', `${OK}X: ${'a'.repeat(17_000)}\r\nContent-Length: 0\r\n\r\n`],
    ['a line that never ends', `${OK}X: ${'a'.repeat(17_000)}`],
    ['a value of spaces that ends badly', `${OK}X:${' '.repeat(16_000)}\x01\r\n\r\n`],
    ['101 after 100', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n'],
    ['a bad head after 103', 'HTTP/1.1 103 Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\n\n'],
  ])('with %s is a 502', async (_name, answer) => {
    const { upstream, proxy, ask } = await against(answer);
    expect(await ask()).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n.*did not answer as HTTP has it/s);
    expect(proxy.gate.stats().passed).toEqual({ upstream_failed: 1 });
    expect(proxy.gate.requests).toBe(0);
    await until(() => upstream.connections[0]?.readableEnded === true);
  });

  it.each([
    ['a size that is none', 'zz\r\nab\r\n0\r\n\r\n'],
    ['no size', '\r\nab\r\n0\r\n\r\n'],
    ['a size with a sign', '+2\r\nab\r\n0\r\n\r\n'],
    ['a size with 0x', '0x2\r\nab\r\n0\r\n\r\n'],
    ['a size before a space', '2 \r\nab\r\n0\r\n\r\n'],
    ['a size after a space', ' 2\r\nab\r\n0\r\n\r\n'],
    ['a size that overflows', 'fffffffffffffffff\r\nab'],
    ['a size that ends with LF', '2\nab\r\n0\r\n\r\n'],
    ['a size that ends with two CR', '2\r\r\nab\r\n0\r\n\r\n'],
    ['a control character in an extension', '2;a=\x01\r\nab\r\n0\r\n\r\n'],
    ['an extension for ever', `2;${'a'.repeat(2000)}`],
    ['a chunk longer than its size', '1\r\nab\r\n0\r\n\r\n'],
    ['a chunk that ends with LF', '2\r\nab\n0\r\n\r\n'],
    ['a chunk that ends with CR', '2\r\nab\rx'],
    ['a trailer that is none', '2\r\nab\r\n0\r\nbad\r\n\r\n'],
    ['a folded trailer', '2\r\nab\r\n0\r\nX: a\r\n b\r\n\r\n'],
    ['a trailer that ends with LF', '2\r\nab\r\n0\r\nX: a\n\r\n'],
    ['a NUL in a trailer', '2\r\nab\r\n0\r\nX: \0\r\n\r\n'],
    ['trailers for ever', `2\r\nab\r\n0\r\n${'X: a\r\n'.repeat(3000)}`],
    ['too many trailers', `2\r\nab\r\n0\r\n${'X: a\r\n'.repeat(200)}\r\n`],
  ])('in chunks with %s is cut off, and never looks whole', async (_name, chunks) => {
    const { upstream, proxy, ask } = await against(CHUNKED + chunks);
    const answer = await ask();
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).not.toMatch(/0\r\n\r\n$/);
    expect(proxy.gate.stats().passed).toEqual({ upstream_failed: 1 });
    await until(() => upstream.connections[0]?.readableEnded === true);
  });

  it.each([
    ['no reason', 'HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nab', /^HTTP\/1\.1 200 ?.*\r\n\r\nab$/s],
    ['an odd status', 'HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nab', /^HTTP\/1\.1 999 Odd\r\n.*ab$/s],
    [
      'high bytes',
      `${OK}X: \xe4\xf6\r\nContent-Length: 2\r\n\r\n\xff\x80`,
      /X: \xe4\xf6\r\n.*\r\n\xff\x80$/s,
    ],
    ['space around a value', `${OK}X: \t a b \t\r\nContent-Length: 0\r\n\r\n`, /\r\nX: a b\r\n/],
    ['an empty value', `${OK}X:\r\nContent-Length: 0\r\n\r\n`, /\r\nX: \r\n/],
    ['all the headers there may be', `${OK}${'X: a\r\n'.repeat(127)}Content-Length: 2\r\n\r\nab`, /ab$/],
    [
      'hints before it',
      `HTTP/1.1 103 Hints\r\nLink: x\r\n\r\n${OK}Content-Length: 2\r\n\r\nab`,
      /^HTTP\/1\.1 200 .*ab$/s,
    ],
    [
      'chunks with extensions and trailers',
      `${CHUNKED}1;x="y"\r\na\r\n0001\r\nb\r\n00\r\nX: y\r\n\r\n`,
      /\r\n2\r\nab\r\n0\r\n\r\n$/,
    ],
    ['chunks of no bytes', `${CHUNKED}0\r\n\r\n`, /\r\n\r\n0\r\n\r\n$/],
  ])('with %s is passed on', async (_name, answer, passed) => {
    const { proxy, ask } = await against(answer);
    const received = await ask();
    expect(received).toMatch(passed);
    expect(received).not.toMatch(/Link|X: y/);
    expect(proxy.gate.stats().passed).toEqual({ forwarded: 1 });
  });

  it.each([
    ['HEAD', 'HEAD', `${OK}Content-Length: 5\r\n\r\n`],
    ['HEAD, in chunks', 'HEAD', CHUNKED],
    ['204', 'GET', 'HTTP/1.1 204 No Content\r\n\r\n'],
    [
      '304, with the length of what it is not',
      'GET',
      'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n',
    ],
  ])('to %s has no body, and ends with its head', async (_name, method, answer) => {
    const { upstream, proxy, ask } = await against(answer);
    expect(await ask(method)).toMatch(/^HTTP\/1\.1 \d+ .*\r\n\r\n$/s);
    expect(await ask(method)).toMatch(/^HTTP\/1\.1 \d+ .*\r\n\r\n$/s);
    expect(proxy.gate.stats().passed).toEqual({ forwarded: 2 });
    expect(upstream.connections).toHaveLength(1);
  });
});
