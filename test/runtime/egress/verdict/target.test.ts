import { describe, expect, it } from 'vitest';
import { parseConnectTarget, parseHttpTarget } from '../../../../runtime/egress/verdict/target.ts';

describe('the target of a CONNECT', () => {
  it('is a host and a port', () => {
    expect(parseConnectTarget('Example.com.:443')).toEqual({ host: 'example.com', port: 443 });
    expect(parseConnectTarget('[::1]:8080')).toEqual({ host: '::1', port: 8080 });
  });

  it.each([
    'example.com',
    'example.com:',
    'example.com:0',
    'example.com:0443',
    'example.com:65536',
    'example.com:+443',
    'example.com:443:443',
    'u@example.com:443',
    'example.com:443/',
    'http://example.com:443',
    '/example.com:443',
    '::1:443',
    '[::1]443',
    '127.1:443',
    ' example.com:443',
    'ex\u00e4mple.com:443',
    '',
  ])('is not %j', (text) => expect(() => parseConnectTarget(text)).toThrow(/host:port/));
});

describe('the target in absolute form', () => {
  it.each([
    ['http://example.com', 'example.com', 80, '/'],
    ['HTTP://Example.com/', 'example.com', 80, '/'],
    ['http://example.com:8080/a/../b?c=d', 'example.com', 8080, '/a/../b?c=d'],
    ['http://example.com?q', 'example.com', 80, '/?q'],
    ['http://[::1]:1/x', '::1', 1, '/x'],
  ])('%s is %s port %i path %s', (text, host, port, path) => {
    expect(parseHttpTarget(text)).toEqual({ host, port, path });
  });

  it.each([
    'https://example.com/',
    'ftp://example.com/',
    'http:///path',
    'http:example.com',
    'http:/example.com/',
    'http://u:p@example.com/',
    'http://example.com\\@evil.test/',
    'http://example.com/#f',
    'http://example.com#@evil.test/',
    'http://exam%70le.com/',
    'http://example.com:80:80/',
    'http://0x7f000001/',
    'http://example.com/\u00e4',
    'http://example.com/a b',
    '//example.com/',
    '*',
    'example.com:443',
  ])('is not %j', (text) => expect(() => parseHttpTarget(text)).toThrow(/URL/));
});
