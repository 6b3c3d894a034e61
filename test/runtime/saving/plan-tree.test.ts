import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planTree, withinBounds } from '../../../runtime/saving/plan-tree.ts';
import { MAX_MANIFEST_BYTES, type SavedFile, writeManifest } from '../../../runtime/saving/saved-manifest.ts';
import { hasFileAsFolder } from '../../../runtime/saving/tree-path.ts';
import { newContainerId } from './test-container.ts';

const GiB = 1024 ** 3;
const LINK = 'a link';
const UNREADABLE = "it can't be read: EIO";

const of = (...paths: string[]) => treeOf(paths, 'a');
const older = (...paths: string[]) => treeOf(paths, 'b');

function treeOf(paths: readonly string[], digit: string): Map<string, SavedFile> {
  return new Map(paths.map((path) => [path, { sha256: digit.repeat(64), size: 1, mode: 0o644 }]));
}

interface Case {
  listed?: string[];
  previous?: string[];
  skipped?: [path: string, reason: string][];
  truncated?: boolean;
}

/** The planned paths, with `=` before those that are as they were before. */
function planned({ listed = [], previous = [], skipped = [], truncated = false }: Case): string[] {
  const listing = { skipped: skipped.map(([path, reason]) => ({ path, reason })), truncated };
  const { files } = planTree(of(...listed), listing, older(...previous), GiB);
  return [...files].map(([path, { sha256 }]) => (sha256.startsWith('a') ? path : `=${path}`)).sort();
}

describe('what is saved', () => {
  it('is what is listed', () => {
    expect(planned({ listed: ['a', 'b/c'], previous: ['a', 'gone'] })).toEqual(['a', 'b/c']);
  });

  it.each([LINK, 'not a regular file', 'the name is not UTF-8'])('is nothing of %s', (reason) => {
    expect(planned({ previous: ['a', 'a/b'], skipped: [['a', reason]] })).toEqual([]);
  });

  it('is what was saved of a file or folder that can not be read', () => {
    const previous = ['a', 'b', 'b/c', 'b/d/e', 'b c', 'b-d', 'bc', 'x/y'].filter((path) => path !== 'b');
    expect(planned({ listed: ['x/z'], previous, skipped: [['b', UNREADABLE]] })).toEqual([
      '=b/c',
      '=b/d/e',
      'x/z',
    ]);
    expect(
      planned({
        previous,
        skipped: [
          ['b/d', UNREADABLE],
          ['b', UNREADABLE],
          ['x/y', UNREADABLE],
        ],
      }),
    ).toEqual(['=b/c', '=b/d/e', '=x/y']);
  });

  it('is all that was saved when the workspace itself can not be read', () => {
    expect(planned({ previous: ['a', 'b/c'], skipped: [['', UNREADABLE]] })).toEqual(['=a', '=b/c']);
  });

  it('is what was saved and is not listed when the list was cut off', () => {
    expect(planned({ listed: ['a', 'new'], previous: ['a', 'b/c', 'd'], truncated: true })).toEqual([
      '=b/c',
      '=d',
      'a',
      'new',
    ]);
  });

  it('is nothing of before that is a folder of a file now, or a file in its way', () => {
    const previous = ['file', 'folder/a', 'folder/b/c', 'folder-x', 'kept'];
    const listed = ['file/inside/x', 'folder'];
    expect(planned({ listed, previous, truncated: true })).toEqual(
      ['=folder-x', '=kept', 'file/inside/x', 'folder'].sort(),
    );
  });

  it('is always a tree with all that is listed, and only what was there', () => {
    const path = fc.array(fc.constantFrom('a', 'b', 'a b', 'a-', '\u{1f389}'), {
      minLength: 1,
      maxLength: 4,
    });
    const tree = fc
      .array(path, { maxLength: 10 })
      .map((paths) => paths.map((names) => names.join('/')))
      .map((paths) => withoutFilesAsFolders(paths));
    const skipped = fc.array(
      fc.tuple(
        path.map((names) => names.join('/')),
        fc.constantFrom(LINK, UNREADABLE),
      ),
    );
    fc.assert(
      fc.property(tree, tree, skipped, fc.boolean(), (listed, previous, skipped, truncated) => {
        const plan = planned({ listed, previous, skipped, truncated });
        const paths = plan.map((path) => path.replace('=', ''));
        expect(hasFileAsFolder(paths)).toBe(false);
        expect(plan).toEqual(expect.arrayContaining(listed));
        const kept = plan.filter((path) => path.startsWith('=')).map((path) => path.slice(1));
        const clashes = (path: string) =>
          listed.some(
            (other) => other === path || other.startsWith(`${path}/`) || path.startsWith(`${other}/`),
          );
        const unseen = (path: string) =>
          truncated ||
          skipped.some(
            ([folder, why]) => why === UNREADABLE && (path === folder || path.startsWith(`${folder}/`)),
          );
        expect(kept.sort()).toEqual(previous.filter((path) => unseen(path) && !clashes(path)).sort());
      }),
      { numRuns: 1000 },
    );
  });
});

describe('the bounds of what is saved', () => {
  const names = (count: number, prefix: string, length = 0) =>
    Array.from({ length: count }, (_, n) => `${prefix}${n}`.padEnd(length, 'x'));

  it('keep what is saved already before what is new, up to 50,000 files', () => {
    const previous = older(...names(30_000, 'old-'));
    const { files, skipped } = withinBounds(
      of(...names(30_000, 'old-'), ...names(30_000, 'new-')),
      previous,
      GiB,
    );
    expect(files.size).toBe(50_000);
    expect([...previous.keys()].every((path) => files.has(path))).toBe(true);
    expect(skipped).toHaveLength(10_000);
  });

  it('keep the manifest below 16 MiB, even when the sizes of all files grow', () => {
    const many = of(
      ...names(50_000, 'f', 1000).map((name) => `${name.slice(0, 200)}/${name.slice(200, 400)}`),
    );
    const first = withinBounds(many, new Map(), GiB).files;
    expect(first.size).toBeGreaterThan(20_000);
    expect(first.size).toBeLessThan(many.size);
    const grown = new Map([...first].map(([path, file]) => [path, { ...file, size: 123_456_789_012 }]));
    const again = withinBounds(grown, first, Number.MAX_SAFE_INTEGER);
    expect(again.skipped).toHaveLength(grown.size); // no object may be as large
    const large = new Map([...first].map(([path, file]) => [path, { ...file, size: 1_234_567_890 }]));
    const kept = withinBounds(large, first, Number.MAX_SAFE_INTEGER).files;
    expect(kept.size).toBe(first.size);
    const bytes = writeManifest({ container: newContainerId(), savedAt: 0, truncated: true, files: kept });
    expect(bytes.length).toBeLessThan(MAX_MANIFEST_BYTES);
  });

  it('leave out the largest', () => {
    const sized = (size: number) => ({ sha256: 'a'.repeat(64), size, mode: 0o644 });
    const files = new Map([
      ['huge', sized(90_000)],
      ['a', sized(1)],
      ['b', sized(20_000)],
    ]);
    const plan = withinBounds(files, new Map(), 100_000);
    expect([...plan.files.keys()]).toEqual(['a', 'b']);
    expect(plan.skipped).toEqual([{ path: 'huge', reason: expect.stringContaining('too large') }]);
  });
});

function withoutFilesAsFolders(paths: string[]): string[] {
  const tree: string[] = [];
  for (const path of [...new Set(paths)].sort((a, b) => a.length - b.length)) {
    if (!tree.some((file) => path.startsWith(`${file}/`))) tree.push(path);
  }
  return tree;
}
