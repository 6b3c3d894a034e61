import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesOf, bytesToText, pathOf } from '../../../runtime/objects/directory/object-paths.ts';
import { isKey } from '../../../runtime/objects/object-key.ts';
import { keysOf, putText } from '../../contract/object-store/contents.ts';
import { directoryUnderTest } from '../../contract/object-store/store-under-test.ts';

const letter = fc.oneof(fc.constantFrom(...'aAbB.!,~%-_0é/'), fc.string({ unit: 'grapheme', maxLength: 1 }));
/** Segments of a few letters, and around the length at which they go on below. */
const segment = fc.oneof(
  { weight: 1, arbitrary: fc.string({ unit: letter, minLength: 1, maxLength: 4 }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom('a', 'é'),
        fc.constantFrom(39, 40, 79, 80, 160),
        fc.string({ unit: letter, maxLength: 1 }),
      )
      .map(([unit, times, rest]) => unit.repeat(times) + rest),
  },
);
const key = fc
  .array(segment, { minLength: 1, maxLength: 4 })
  .map((segments) => segments.join('/'))
  .filter(isKey);

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

describe('the path of a key', () => {
  it('is told back by its names, which every file system takes and keeps apart', () => {
    fc.assert(
      fc.property(key, (key) => {
        const names = pathOf(key).split('/');
        const last = names.length - 1;
        for (const name of names) {
          expect(name).toMatch(/^[a-z0-9._%!,~-]{1,255}$/);
          expect(['.', '..']).not.toContain(name);
        }
        const bytes = names.map((name, n) => bytesOf(name, n === last ? 'file' : 'folder'));
        expect(bytesToText(bytes.join(''))).toBe(key);
      }),
      { numRuns: 500 },
    );
  });

  it('knows names that are not ours', () => {
    for (const name of ['', 'a', 'A!', 'a b!', '%4!', '%4G!', 'lost+found', 'a,', 'a~']) {
      expect(bytesOf(name, 'file')).toBeUndefined();
    }
    for (const name of ['', 'a', 'A,', '%4,', 'lost+found', 'a!'])
      expect(bytesOf(name, 'folder')).toBeUndefined();
  });
});

describe('a list of the directory', () => {
  it('has the keys of any prefix in the order of their bytes', async () => {
    const keys = fc.uniqueArray(key, { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(keys, fc.nat(), fc.nat(), async (keys, which, length) => {
        await using under = await directoryUnderTest();
        await Promise.all(keys.map((key) => putText(under.store, key, 'x')));
        expect(await keysOf(under.store)).toEqual(keys.toSorted(byBytes));
        const one = [...(keys[which % keys.length] ?? '')];
        const prefix = one.slice(0, length % (one.length + 1)).join('');
        expect(await keysOf(under.store, prefix)).toEqual(
          keys.filter((key) => key.startsWith(prefix)).sort(byBytes),
        );
      }),
      { numRuns: 60 },
    );
  });
});
