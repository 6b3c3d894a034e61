import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAllowEntry } from '../../../../runtime/egress/verdict/allow-entry.ts';
import { AllowList, covers } from '../../../../runtime/egress/verdict/allow-list.ts';
import {
  type CanonicalHost,
  parseAddress,
  parseHost,
} from '../../../../runtime/egress/verdict/canonical-host.ts';

function host(text: string): CanonicalHost {
  const parsed = parseHost(text) ?? parseAddress(text);
  if (!parsed) throw new Error(`${text} is no host`);
  return parsed;
}

describe('an allow-list', () => {
  it.each([
    [['example.com'], 'example.com', 443, 'yes'],
    [['example.com'], 'example.com', 80, 'yes'],
    [['example.com'], 'example.com', 25, 'no'],
    [['example.com'], 'example.com', 8443, 'no'],
    [['example.com'], 'www.example.com', 443, 'no'],
    [['example.com'], 'example.com.evil.test', 443, 'no'],
    [['example.com'], 'notexample.com', 443, 'no'],
    [['.example.com'], 'www.example.com', 443, 'yes'],
    [['.example.com'], 'a.b.example.com', 443, 'yes'],
    [['.example.com'], 'example.com', 443, 'no'],
    [['.example.com'], 'notexample.com', 443, 'no'],
    [['.example.com:8443'], 'a.example.com', 8443, 'yes'],
    [['.example.com:8443'], 'a.example.com', 443, 'no'],
    [['example.com:8443'], 'example.com', 8443, 'yes'],
    [['example.com:8443'], 'example.com', 443, 'no'],
    [['EXÄMPLE.com.'], 'xn--exmple-cua.com', 443, 'yes'],
    [['internal:db.corp:5432'], 'db.corp', 5432, 'internal'],
    [['INTERNAL:db.corp'], 'db.corp', 443, 'internal'],
    [['internal:.corp', 'db.corp'], 'db.corp', 443, 'internal'],
    [['internal:db.corp:8080', 'db.corp'], 'db.corp', 443, 'yes'],
    [['192.0.2.1'], '192.0.2.1', 443, 'yes'],
    [['.0.2.1x'], '192.0.2.1', 443, 'no'],
    [['internal:[::1]:8080'], '::1', 8080, 'internal'],
    [['internal:::1'], '::1', 80, 'internal'],
    [['internal:[::ffff:10.0.0.1]'], '10.0.0.1', 80, 'internal'],
    [[], 'example.com', 443, 'no'],
  ] as const)('%j says of %s port %i: %s', (entries, name, port, match) => {
    expect(new AllowList(entries).match(host(name), port)).toBe(match);
  });

  it.each([
    ['', /names no host/],
    ['internal:', /names no host/],
    ['*.example.com', /wildcards/],
    ['https://example.com', /not a URL/],
    ['10.0.0.0/8', /not a URL or a network/],
    ['u@example.com', /without a user/],
    ['a b', /white space/],
    ['example.com:0', /port/],
    ['example.com:65536', /port/],
    ['example.com:', /port/],
    ['example.com:080', /port/],
    ['.', /no name/],
    ['..example.com', /no name/],
    ['0x7f.1', /no name/],
    ['.127.0.0.1', /names below/],
    ['fe80::1%eth0', /brackets|no name|port/],
    ['internal:internal:a', /port/],
  ])('%j is no entry', (entry, problem) => {
    expect(() => parseAllowEntry(entry)).toThrow(problem);
    expect(() => new AllowList(['example.com', entry])).toThrow(JSON.stringify(entry));
  });
});

describe('a ceiling', () => {
  it.each([
    [['example.com'], 'example.com', true],
    [['example.com'], 'example.com:443', true],
    [['example.com:443'], 'example.com', false],
    [['example.com:443', 'example.com:80'], 'example.com', true],
    [['.example.com'], 'a.example.com', true],
    [['.example.com'], '.example.com', true],
    [['.example.com'], '.a.example.com', true],
    [['.a.example.com'], '.example.com', false],
    [['example.com', 'a.example.com'], '.example.com', false],
    [['.example.com'], 'example.com', false],
    [['example.com'], 'internal:example.com', false],
    [['internal:example.com'], 'internal:example.com', true],
    [['internal:example.com'], 'example.com', true],
    [['internal:.corp'], 'internal:a.corp:443', true],
    [[], 'example.com', false],
  ] as const)('of %j covers %s: %s', (ceiling, entry, covered) => {
    expect(covers(new AllowList(ceiling), entry)).toBe(covered);
  });

  it('that covers an entry lets through all that the entry does', () => {
    const name = fc
      .array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 })
      .map((parts) => parts.join('.'));
    const entry = fc
      .tuple(fc.boolean(), fc.boolean(), name, fc.constantFrom('', ':80', ':443', ':8080'))
      .map(
        ([internal, below, text, port]) => `${internal ? 'internal:' : ''}${below ? '.' : ''}${text}${port}`,
      );
    const rank = { no: 0, yes: 1, internal: 2 };
    fc.assert(
      fc.property(
        fc.array(entry),
        entry,
        name,
        fc.constantFrom(80, 443, 8080),
        (ceiling, one, text, port) => {
          const above = new AllowList(ceiling);
          fc.pre(covers(above, one));
          const through = new AllowList([one]).match(host(text), port);
          expect(rank[above.match(host(text), port)]).toBeGreaterThanOrEqual(rank[through]);
        },
      ),
    );
  });
});
