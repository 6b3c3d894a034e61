import { describe, expect, it } from 'vitest';
import { startProxy, startUpstream, until } from './proxy-fixture.ts';

describe('a request that parsers may read in two ways', () => {
  const chunked = 'Transfer-Encoding: chunked\r\n';
  it.each([
    ['two lengths', 'Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc'],
    ['two different lengths', 'Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd'],
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
    ['too many headers', `${'X: a\r\n'.repeat(200)}\r\n`],
    ['a bad size of a chunk', `${chunked}\r\nzz\r\nabc\r\n0\r\n\r\n`],
    ['a size of a chunk with a space', `${chunked}\r\n3 \r\nabc\r\n0\r\n\r\n`],
    ['a chunk longer than its size', `${chunked}\r\n1\r\nabc\r\n0\r\n\r\n`],
    ['a chunk ended by a line feed', `${chunked}\r\n3\nabc\r\n0\r\n\r\n`],
    ['a size of a chunk that overflows', `${chunked}\r\nffffffffffffffffff\r\nabc\r\n0\r\n\r\n`],
  ])('is refused and its connection closed: %s', async (_name, rest) => {
    const upstream = await startUpstream();
    const proxy = await startProxy({ allowed_domains: [`internal:up.test:${upstream.port}`] });
    const client = proxy.open();
    const smuggled = `GET http://up.test:${upstream.port}/smuggled HTTP/1.1\r\nHost: up.test\r\n\r\n`;
    const request = `POST http://up.test:${upstream.port}/ HTTP/1.1\r\nHost: up.test\r\n${rest}`;
    client.socket.write(Buffer.from(request + smuggled, 'latin1'));
    await until(() => client.closed || client.ended);
    expect(client.received).toMatch(/^HTTP\/1.1 400 Bad Request\r\n.*Connection: close\r\n/s);
    expect(client.received.match(/HTTP\/1.1 \d/g)).toHaveLength(1);
    expect(upstream.seen.join('')).not.toContain('smuggled');
    // A body that turned out to be bad on its way is not ended as if it were whole.
    expect(upstream.seen.join('')).not.toMatch(/0\r\n\r\n$/);
    expect(proxy.gate.stats().refused).toEqual({ malformed: 1 });
    await until(() => proxy.gate.requests === 0 && proxy.gate.connections === 0);
  });

  it.each([
    ['no host', 'GET http://up.test/ HTTP/1.1\r\n\r\n'],
    ['HTTP/2.0', 'GET http://up.test/ HTTP/2.0\r\nHost: a\r\n\r\n'],
    ['HTTP/0.9', 'GET http://up.test/\r\n\r\n'],
    ['HTTP/1.2', 'GET http://up.test/ HTTP/1.2\r\nHost: a\r\n\r\n'],
    ['HTTP/1.0 with chunks', 'POST http://up.test/ HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['an unknown method', 'FOO http://up.test/ HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['an https URL', 'GET https://up.test/ HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a user', 'GET http://u:p@up.test/ HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['an asterisk', 'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a TLS handshake', '\x16\x03\x01\x00\x05hello'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a Host that is none', 'GET http://up.test/ HTTP/1.1\r\nHost: a@b\r\n\r\n'],
    ['a name in UTF-8', 'GET http://\u00c3\u00a4.test/ HTTP/1.1\r\nHost: a\r\n\r\n'],
  ])('is refused: %s', async (_name, bytes) => {
    const proxy = await startProxy({ allowed_domains: ['internal:up.test'] });
    expect(await proxy.ask(bytes)).toMatch(/^HTTP\/1.1 400 Bad Request/);
    expect(proxy.gate.stats().refused).toEqual({ malformed: 1 });
  });

  it('asks for a trace, which nobody gets', async () => {
    const proxy = await startProxy({ allowed_domains: ['internal:up.test'] });
    expect(await proxy.ask('TRACE http://up.test/ HTTP/1.1\r\nHost: a\r\n\r\n')).toMatch(/^HTTP\/1.1 405/);
  });
});
