import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isBerthError } from '../../../runtime/contracts/errors.ts';
import { manifestKey } from '../../../runtime/saving/saved-keys.ts';
import {
  MAX_MANIFEST_BYTES,
  parseManifest,
  readSavedManifest,
  type SavedFile,
  writeManifest,
} from '../../../runtime/saving/saved-manifest.ts';
import { hasFileAsFolder, isTreePath } from '../../../runtime/saving/tree-path.ts';
import { directoryUnderTest } from '../../contract/object-store/store-under-test.ts';
import { newConversation, tenant } from './saving-scenario.ts';
import { newContainerId } from './test-container.ts';

const file = { sha256: 'ab'.repeat(32), size: 3, mode: 0o644 };
const head = {
  format: 1,
  container_id: 'ws-0123456789ab',
  saved_at: '2026-01-01T00:00:00.000Z',
  truncated: false,
};
const parse = (json: unknown) => parseManifest(Buffer.from(JSON.stringify(json)));

describe('a manifest', () => {
  it('is read as it was written, whatever is in it', () => {
    const name = fc.oneof(
      fc.constantFrom('__proto__', 'constructor', 'toString', '0', '1', 'a'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }),
    );
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
    const saved: fc.Arbitrary<SavedFile> = fc.record({
      sha256: fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 }),
      size: fc.maxSafeNat(),
      mode: fc.integer({ min: 0, max: 0o777 }),
    });
    const files = fc
      .array(fc.tuple(path.filter(isTreePath), saved))
      .filter((entries) => !hasFileAsFolder(entries.map(([path]) => path)));
    fc.assert(
      fc.property(files, fc.boolean(), fc.nat(), (entries, truncated, savedAt) => {
        const manifest = { container: newContainerId(), savedAt, truncated, files: new Map(entries) };
        expect(parseManifest(writeManifest(manifest))).toEqual(manifest);
        const turned = { ...manifest, files: new Map([...manifest.files].reverse()) };
        expect(writeManifest(turned)).toEqual(writeManifest(manifest));
      }),
    );
  });

  it('has a form that others can read', () => {
    const files = new Map([['folder/file', file]]);
    const bytes = writeManifest({ container: newContainerId(), savedAt: 0, truncated: false, files });
    expect(JSON.parse(bytes.toString())).toEqual({
      format: 1,
      container_id: expect.stringMatching(/^ws-[0-9a-f]{12}$/),
      saved_at: '1970-01-01T00:00:00.000Z',
      truncated: false,
      files: { 'folder/file': file },
    });
  });

  it.each([
    '',
    '/a',
    '..',
    'a/../b',
    'a/..',
    '.',
    'a//b',
    'a/',
    'a\0',
    'x'.repeat(256),
    '/'.padEnd(5000, 'a/'),
  ])('with the path %j is refused', (path) => {
    expect(() => parse({ ...head, files: { [path]: file } })).toThrow();
  });

  it.each([
    ['no files', head],
    ['another format', { ...head, format: 2, files: {} }],
    ['no container', { ...head, container_id: 'x', files: {} }],
    ['no time', { ...head, saved_at: 'yesterday', files: {} }],
    ['a file below a file', { ...head, files: { a: file, 'a/b': file } }],
    ['no hash', { ...head, files: { a: { ...file, sha256: '../../x' } } }],
    ['a negative size', { ...head, files: { a: { ...file, size: -1 } } }],
    ['more than permission bits', { ...head, files: { a: { ...file, mode: 0o4755 } } }],
    ['a number for files', { ...head, files: 7 }],
    ['nothing for a file', { ...head, files: { a: null } }],
    [
      'too many files',
      { ...head, files: Object.fromEntries(Array.from({ length: 50_001 }, (_, n) => [`f${n}`, file])) },
    ],
  ])('with %s is refused', (_what, json) => {
    expect(() => parse(json)).toThrow();
  });

  it('may have 50,000 files', () => {
    const files = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`f${n}`, file]));
    expect(parse({ ...head, files }).files.size).toBe(50_000);
  });
});

describe('reading what is saved', () => {
  it.each([
    ['is no JSON', Buffer.from('}{')],
    ['is of a later format', Buffer.from(JSON.stringify({ ...head, format: 2, files: {} }))],
    ['is too large', Buffer.alloc(MAX_MANIFEST_BYTES + 1, ' ')],
  ])('fails with what is wrong when it %s', async (_what, bytes) => {
    await using underTest = await directoryUnderTest();
    const owner = { tenant, conversation: newConversation() };
    await underTest.store.put(manifestKey(owner), bytes, { size: bytes.length });
    const failure = await readSavedManifest(underTest.store, owner).catch((error) => error);
    expect(isBerthError(failure, 'INTERNAL')).toBe(true);
    expect(failure.detail).toContain(owner.conversation);
  });
});
