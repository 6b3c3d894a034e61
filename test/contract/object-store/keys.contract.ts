import { describe, expect, it } from 'vitest';
import { keysOf, putText, text } from './contents.ts';
import type { OpenStore } from './store-under-test.ts';

const ODD_KEYS = [
  ...['a', 'a/b', 'a/b/c', 'a.b', 'a-b', 'a0', 'A', 'A/b', 'aA', 'Aa'],
  ...['with space', ' leading', 'trailing ', 'plus+', 'per%cent', 'per%2fcent', '%2e%2e/x', 'a%'],
  ...[
    'quote"',
    "apo'strophe",
    'amp&',
    '<tag>',
    'question?x=y',
    'hash#',
    'semi;colon',
    'back\\slash',
    'star*',
  ],
  ...['~', '!', ',', 'a!', 'a,', 'a~', 'a!/b', 'a,/b', 'a~/b', '...', '.hidden', 'dot.', '-', '--', '{x}|^`'],
  ...['é', 'e\u0301', 'ß', 'ünï/cödé', '日本語', '\u{1f600}', '\ufb01', 'K', '\u212a', 'ı', 'İ'],
  ...['con', 'nul', 'a:b', '__proto__', 'constructor', 'kept', 'partial', 'null', '0'],
  ...[79, 80, 81, 160, 255, 256, 300].flatMap((length) =>
    ['x', 'X', 'é'].map((letter) => letter.repeat(length)),
  ),
  ...[79, 80, 81].flatMap((length) => [
    `${'y'.repeat(length)}/z`,
    `${'y'.repeat(length)}0`,
    'y'.repeat(length),
  ]),
];

/** Keys are ordered by their bytes. */
const inOrder = (keys: readonly string[]) =>
  keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

const WRONG_KEYS = [
  ...['', '/', '/a', 'a/', 'a//b', '.', '..', './a', 'a/.', 'a/../b', '../a', 'a/..'],
  ...[
    'a\0',
    'a\nb',
    '\t',
    'a\u007f',
    'a\u200b',
    'a\u2028',
    '\ud800',
    '\ufeff',
    'x'.repeat(1025),
    'é'.repeat(513),
  ],
];

export function keysContract(open: OpenStore): void {
  describe('keys', () => {
    it('of any printable characters are kept apart, and in order', async () => {
      const { store } = await open();
      expect(new Set(ODD_KEYS).size).toBe(ODD_KEYS.length);
      await Promise.all(ODD_KEYS.map((key) => putText(store, key, `content of ${key}`)));
      expect(await keysOf(store)).toEqual(inOrder(ODD_KEYS));
      for (const key of ODD_KEYS) expect(await text(store, key)).toBe(`content of ${key}`);
      for (const prefix of [
        'a',
        'a/',
        'A',
        'é',
        'x'.repeat(80),
        'x'.repeat(81),
        'y'.repeat(79),
        `${'y'.repeat(80)}/`,
        '%',
      ]) {
        const expected = inOrder(ODD_KEYS.filter((key) => key.startsWith(prefix)));
        expect(await keysOf(store, prefix)).toEqual(expected);
      }
      const some = ODD_KEYS.filter((_, n) => n % 2 === 0);
      await store.delete(some);
      expect(await keysOf(store)).toEqual(inOrder(ODD_KEYS.filter((key) => !some.includes(key))));
      await store.delete(ODD_KEYS);
      expect(await keysOf(store)).toEqual([]);
    });

    it('may be as long as any store takes them', async () => {
      const { store, longestKey } = await open();
      const shapes = [
        'k'.repeat(longestKey),
        'K'.repeat(longestKey),
        'a/'.repeat(longestKey).slice(0, longestKey - 1 + (longestKey % 2)),
      ];
      for (const key of shapes) {
        expect(key).not.toMatch(/\/$/);
        await putText(store, key, key);
        expect(await text(store, key)).toBe(key);
      }
      expect(await keysOf(store)).toEqual(inOrder(shapes));
    });

    it.each(WRONG_KEYS.map((key) => [key.slice(0, 20), key]))(
      'are refused when wrong: %j',
      async (_, key) => {
        const { store } = await open();
        await expect(putText(store, key, 'x')).rejects.toThrow(TypeError);
        await expect(store.get(key)).rejects.toThrow(TypeError);
        await expect(store.head(key)).rejects.toThrow(TypeError);
        await expect(store.delete(['fine', key])).rejects.toThrow(TypeError);
      },
    );

    it.each(['/', '/a', 'a//b', '../a', 'a/../', 'a\n'])('begin in no such way: %j', async (prefix) => {
      const { store } = await open();
      expect(() => store.list(prefix)).toThrow(TypeError);
    });
  });
}
