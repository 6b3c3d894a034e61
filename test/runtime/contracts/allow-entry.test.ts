import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPlainAllowEntry } from '../../../runtime/contracts/allow-entry.ts';
import { parseAllowEntry } from '../../../runtime/egress/verdict/allow-entry.ts';

describe('a plain entry of an allow-list', () => {
  it.each([
    'pypi.org',
    'PyPI.org',
    '.example.com',
    'a_b.example.com:8443',
    'internal:git.corp:22',
    '10.1.2.3',
    'none',
  ])('is %s', (entry) => {
    expect(isPlainAllowEntry(entry)).toBe(true);
    expect(() => parseAllowEntry(entry)).not.toThrow();
  });

  it.each([
    '',
    '*.example.com',
    'host:99999',
    'host:0',
    'host:',
    'a..b',
    '-a.example.com',
    'https://a.example.com',
    '10.0.0.0/8',
    'a@example.com',
    '256.1.1.1',
    '0x7f.1',
    '.10.1.2.3',
    'a,b',
  ])('is not %j, and the proxy takes it no more', (entry) => {
    expect(isPlainAllowEntry(entry)).toBe(false);
    expect(() => parseAllowEntry(entry)).toThrow('is no entry of an allow-list');
  });

  it('is one that the proxy takes', () => {
    const piece = fc.constantFrom(
      'internal:',
      '.',
      ':',
      '-',
      '_',
      '*',
      '0',
      '1',
      '255',
      '0x',
      'a',
      'B',
      'xn--',
      ':443',
    );
    const odd = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(fc.oneof(odd, fc.string()), (entry) => {
        fc.pre(isPlainAllowEntry(entry));
        parseAllowEntry(entry);
      }),
    );
  });
});
