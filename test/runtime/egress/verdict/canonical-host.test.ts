import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inUrl, parseAddress, parseHost } from '../../../../runtime/egress/verdict/canonical-host.ts';

describe('a host', () => {
  it.each([
    ['example.com', 'example.com'],
    ['EXAMPLE.Com', 'example.com'],
    ['example.com.', 'example.com'],
    ['exämple.com', 'xn--exmple-cua.com'],
    ['ｅｘａｍｐｌｅ.com', 'example.com'],
    ['xn--exmple-cua.com', 'xn--exmple-cua.com'],
    ['a_b.example.com', 'a_b.example.com'],
    ['localhost', 'localhost'],
    ['192.0.2.1', '192.0.2.1'],
    ['[2001:DB8:0::1]', '2001:db8::1'],
    ['[::ffff:127.0.0.1]', '127.0.0.1'],
    ['[::FFFF:7f00:1]', '127.0.0.1'],
    ['[0:0:0:0:0:ffff:a9fe:a9fe]', '169.254.169.254'],
  ])('%s is %s', (text, host) => expect(parseHost(text)).toBe(host));

  it.each([
    '',
    '.',
    'example.com..',
    'a..b',
    '.example.com',
    'user@example.com',
    'exa%6dple.com',
    'exam ple.com',
    'example.com/',
    'example.com\\x',
    'a#b',
    'a?b',
    'example.com:80',
    '127.1',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '2130706433',
    '0x7f000001',
    '127.0.0.1.',
    '127.0.0.01',
    '1.2.3.4.5',
    '256.1.1.1',
    'example.0x1',
    '１２７.0.0.1',
    '①②⑦.0.0.1',
    '::1',
    '[::1',
    '[::1%25eth0]',
    '[fe80::1%eth0]',
    '[127.0.0.1]',
    '[]',
    '-a.example',
    'a-.example',
    `${'a'.repeat(64)}.com`,
    `${'a.'.repeat(127)}abc`,
    'a\0b',
  ])('%j is none', (text) => expect(parseHost(text)).toBeUndefined());

  it('is in its canonical form once it has been parsed', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.domain(),
          fc.ipV4(),
          fc.ipV6().map((text) => `[${text}]`),
        ),
        (text) => {
          const host = parseHost(text);
          fc.pre(host !== undefined);
          if (host !== undefined) expect(parseHost(inUrl(host))).toBe(host);
        },
      ),
    );
  });

  it('is never what a URL would read as another address', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.ipV4Extended(), fc.string({ unit: fc.constantFrom(...'0123456789abcdefx.') })),
        (text) => {
          const host = parseHost(text);
          if (host !== undefined && URL.canParse(`http://${text}`)) {
            expect(new URL(`http://${text}`).hostname.replace(/\.$/, '')).toBe(host);
          }
        },
      ),
    );
  });

  it('is an address without brackets when that is what is parsed', () => {
    expect(parseAddress('::ffff:10.0.0.1')).toBe('10.0.0.1');
    expect(parseAddress('fe80::1%eth0')).toBeUndefined();
    expect(parseAddress('example.com')).toBeUndefined();
  });
});
