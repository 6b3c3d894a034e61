import { createHash, randomBytes } from 'node:crypto';
import { renameSync, symlinkSync, unlinkSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isBerthError } from '../../../runtime/contracts/errors.ts';
import { blobKey } from '../../../runtime/saving/saved-keys.ts';
import { hasFileAsFolder, isTreePath } from '../../../runtime/saving/tree-path.ts';
import type { OpenStore } from '../../contract/object-store/store-under-test.ts';
import { newConversation, SavingScenario, tenant } from './saving-scenario.ts';
import { newContainerId } from './test-container.ts';

const ODD_NAMES = [
  'a name with spaces',
  'changes',
  'sub/changes',
  '__proto__',
  'constructor',
  '0',
  '10/2',
  'Grüße 🎉/日本語.txt',
  'new\nline',
  'quote"\'`',
  'back\\slash',
  '%41%2f',
  '?q=1#x&y',
  '.hidden',
  '...',
  '-rf',
  'manifest.json',
  'blobs/manifest.json',
  Array.from({ length: 60 }, (_, n) => `level ${n}`).join('/'),
  'x'.repeat(255),
];

/** What saving and restoring promise on any store. */
export function savingContract(open: OpenStore): void {
  const scenario = SavingScenario.use(open);
  savesAndRestores(scenario);
  writesLittle(scenario);
  fences(scenario);
}

function savesAndRestores(scenario: SavingScenario): void {
  describe('what is saved comes back', () => {
    it('under any name', async () => {
      for (const name of ODD_NAMES) scenario.one.write(name, `content of ${name}`);
      const version = await scenario.saved(scenario.one);
      expect(await scenario.restore(scenario.two)).toBe(version);
      expect(scenario.two.tree()).toEqual(scenario.one.tree());
      expect(scenario.two.tree()).toHaveLength(ODD_NAMES.length);
    });

    it('with its permissions', async () => {
      for (const mode of [0o400, 0o444, 0o600, 0o644, 0o755, 0o777]) {
        scenario.one.write(`mode-${mode.toString(8)}`, 'x', mode);
      }
      await scenario.saved(scenario.one);
      await scenario.restore(scenario.two);
      expect(scenario.two.tree()).toEqual(scenario.one.tree());
    });

    it.each([0, 1, 1024, 262_143, 262_144, 262_145, 1_048_577, 5_000_000])('with %d bytes', async (size) => {
      scenario.one.write('file', randomBytes(size));
      scenario.one.write('folder/again', randomBytes(size));
      await scenario.saved(scenario.one);
      await scenario.restore(scenario.two);
      expect(digest(scenario.two.tree())).toBe(digest(scenario.one.tree()));
    });

    it('whatever the tree', async () => {
      await fc.assert(
        fc.asyncProperty(trees, async (tree) => {
          scenario.one.renew();
          scenario.two.renew();
          for (const [path, { content, mode }] of tree) scenario.one.write(path, Buffer.from(content), mode);
          const version = await saveAnew(scenario);
          expect(await scenario.restore(scenario.two)).toBe(version);
          expect(scenario.two.tree()).toEqual(scenario.one.tree());
        }),
        { numRuns: 15 },
      );
    });

    it('as it was last saved: what was deleted stays away', async () => {
      for (const name of ['kept', 'deleted', 'folder/deleted', 'becomes/folder', 'becomes-file/x']) {
        scenario.one.write(name, name);
      }
      const first = await scenario.saved(scenario.one);
      for (const name of ['deleted', 'folder', 'becomes', 'becomes-file']) scenario.one.remove(name);
      scenario.one.write('becomes-file', 'now a file');
      scenario.one.write('becomes/folder/of', 'now a folder');
      const second = await scenario.saved(scenario.one, first);
      expect(await scenario.restore(scenario.two)).toBe(second);
      expect(scenario.two.tree().map(([path]) => path)).toEqual(
        ['becomes/folder/of', 'becomes-file', 'kept'].sort(),
      );
    });

    it('apart from what is excluded', async () => {
      for (const name of ['a.py', 'a.pyc', 'node_modules/x/y.js', 'sub/node_modules/z', '.git/config']) {
        scenario.one.write(name, name);
      }
      await scenario.save(scenario.one, null, { exclude: ['node_modules', '*.pyc'] });
      expect(await scenario.savedPaths()).toEqual(['.git/config', 'a.py']);
    });

    it('but nothing where nothing is saved', async () => {
      expect(await scenario.restore(scenario.two)).toBeNull();
      expect(await scenario.save(scenario.one, null)).toMatchObject({ kind: 'unchanged', version: null });
      expect(await scenario.keys()).toEqual([]);
    });

    it('and a file that became a link is gone', async () => {
      scenario.one.write('file', 'x');
      scenario.one.write('target', 'y');
      const version = await scenario.saved(scenario.one);
      unlinkSync(scenario.one.path('file'));
      symlinkSync('target', scenario.one.path('file'));
      const result = await scenario.save(scenario.one, version);
      expect(result).toMatchObject({
        kind: 'saved',
        files: 1,
        skipped: [{ path: 'file', reason: 'a link' }],
      });
      expect(await scenario.savedPaths()).toEqual(['target']);
    });
  });
}

function writesLittle(scenario: SavingScenario): void {
  describe('a save writes no more than it must', () => {
    it('one of many files changed: its content and the manifest', async () => {
      for (let n = 0; n < 1000; n += 1) scenario.one.write(`folder-${n % 10}/file-${n}`, `content ${n}`);
      const first = await scenario.save(scenario.one, null);
      expect(first).toMatchObject({ kind: 'saved', files: 1000, uploaded: { blobs: 1000 } });
      scenario.store.puts = [];
      scenario.one.write('folder-3/file-333', 'changed');
      const second = await scenario.save(scenario.one, first.kind === 'saved' ? first.version : null);
      expect(second).toMatchObject({ kind: 'saved', files: 1000, uploaded: { blobs: 1, bytes: 7 } });
      expect(scenario.store.puts).toEqual([
        blobKey(scenario.owner, createHash('sha256').update('changed').digest('hex')),
        `workspaces/${scenario.owner.tenant}/${scenario.owner.conversation}/manifest.json`,
      ]);
    });

    it('nothing changed: nothing', async () => {
      scenario.one.write('a', 'a');
      const version = await scenario.saved(scenario.one);
      scenario.store.puts = [];
      scenario.one.write('a', 'a'); // with another time
      expect(await scenario.save(scenario.one, version)).toMatchObject({
        kind: 'unchanged',
        version,
        files: 1,
      });
      expect(scenario.store.puts).toEqual([]);
    });

    it('nothing changed since it was restored: nothing', async () => {
      scenario.one.write('a', 'a', 0o755);
      const version = await scenario.saved(scenario.one);
      await scenario.restore(scenario.two);
      scenario.store.puts = [];
      expect(await scenario.save(scenario.two, version)).toMatchObject({ kind: 'unchanged', version });
      expect(scenario.store.puts).toEqual([]);
    });

    it('the same content under several paths: once', async () => {
      for (const name of ['a', 'b', 'c/d', 'c/e']) scenario.one.write(name, 'the same');
      const result = await scenario.save(scenario.one, null);
      expect(result).toMatchObject({ files: 4, uploaded: { blobs: 1, bytes: 8 } });
      expect(scenario.store.blobPuts).toHaveLength(1);
      expect(scenario.one.client.reads).toHaveLength(1);
      await scenario.restore(scenario.two);
      expect(scenario.two.tree()).toEqual(scenario.one.tree());
    });

    it.each([
      ['renamed', () => renameSync(scenario.one.path('a'), scenario.one.path('b'))],
      ['copied', () => scenario.one.write('b', 'a')],
      ['given other permissions', () => scenario.one.write('a', 'a', 0o700)],
      ['deleted', () => scenario.one.remove('a')],
    ])('a file was %s: the manifest', async (_what, change) => {
      scenario.one.write('a', 'a');
      const version = await scenario.saved(scenario.one);
      scenario.store.puts = [];
      change();
      expect(await scenario.save(scenario.one, version)).toMatchObject({
        kind: 'saved',
        uploaded: { blobs: 0 },
      });
      expect(scenario.store.blobPuts).toEqual([]);
      expect(scenario.store.manifestPuts).toHaveLength(1);
      await scenario.restore(scenario.two);
      expect(scenario.two.tree()).toEqual(scenario.one.tree());
    });

    it('but content that no manifest names is put again, even if it is there', async () => {
      scenario.one.write('a', 'first');
      const first = await scenario.saved(scenario.one);
      scenario.one.write('a', 'second');
      const second = await scenario.saved(scenario.one, first);
      scenario.store.puts = [];
      scenario.one.write('a', 'first');
      await scenario.saved(scenario.one, second);
      expect(scenario.store.blobPuts).toHaveLength(1);
    });
  });
}

function fences(scenario: SavingScenario): void {
  describe('a container saves', () => {
    const staleWithoutAWrite = async (savedVersion: string | null) => {
      scenario.store.puts = [];
      scenario.two.write('old', 'of the stale one');
      expect(await scenario.save(scenario.two, savedVersion)).toEqual({ kind: 'stale' });
      expect(scenario.store.puts).toEqual([]);
      expect(scenario.two.client.lists).toBe(0);
    };

    it('not over what another has saved since', async () => {
      scenario.one.write('a', '1');
      const first = await scenario.saved(scenario.one);
      scenario.one.write('a', '2');
      const second = await scenario.saved(scenario.one, first);
      await staleWithoutAWrite(first);
      await scenario.restore(scenario.two);
      expect(await scenario.savedPaths()).toEqual(['a']);
      expect(second).not.toBe(first);
    });

    it('not over what another has saved, having begun from nothing', async () => {
      scenario.one.write('a', '1');
      await scenario.saved(scenario.one);
      await staleWithoutAWrite(null);
    });

    it('not what was purged meanwhile', async () => {
      scenario.one.write('a', '1');
      const version = await scenario.saved(scenario.one);
      await scenario.store.delete(await scenario.keys());
      await staleWithoutAWrite(version);
      expect(await scenario.keys()).toEqual([]);
    });

    it('on from what it restored', async () => {
      scenario.one.write('a', '1');
      await scenario.saved(scenario.one);
      const version = await scenario.restore(scenario.two);
      scenario.two.write('b', '2');
      expect(await scenario.save(scenario.two, version)).toMatchObject({ kind: 'saved', files: 2 });
      scenario.one.write('a', 'behind');
      expect(await scenario.save(scenario.one, version)).toEqual({ kind: 'stale' });
    });

    it('on from what it saved itself, though nobody remembers the version', async () => {
      scenario.one.write('a', '1');
      await scenario.saved(scenario.one);
      scenario.one.write('a', '2');
      expect(await scenario.save(scenario.one, null)).toMatchObject({ kind: 'saved', files: 1 });
      scenario.one.write('a', '3');
      expect(await scenario.save(scenario.one, 'long ago')).toMatchObject({ kind: 'saved', files: 1 });
    });

    it.each([
      ['from nothing', false],
      ['from one version', true],
    ])('or another does, never both: two at once %s', async (_what, before) => {
      scenario.one.write('common', 'x');
      const version = before ? await scenario.saved(scenario.one) : null;
      if (before) scenario.one.id = newContainerId();
      scenario.one.write('who', 'one');
      scenario.two.write('who', 'two');
      const together = meeting(2);
      const both = [scenario.one, scenario.two];
      const results = await Promise.all(
        both.map((container) => scenario.save(container, version, { checkpoint: together })),
      );
      expect(results.map(({ kind }) => kind).sort()).toEqual(['saved', 'stale']);
      const winner = both[results.findIndex(({ kind }) => kind === 'saved')];
      scenario.one.renew();
      await scenario.restore(scenario.one);
      expect(Object.fromEntries(scenario.one.tree()).who).toBe(
        winner === scenario.one ? '644 one' : '644 two',
      );
    });

    it('twice at once, and the one that looked first looks again', async () => {
      scenario.one.write('a', '1');
      const checkpoint = async (name: string) => {
        if (name !== 'save.blobs' || scenario.store.manifestPuts.length > 0) return;
        scenario.one.write('b', '2');
        expect(await scenario.save(scenario.one, null)).toMatchObject({ kind: 'saved', files: 2 });
      };
      const early = await scenario.save(scenario.one, null, { checkpoint });
      expect(early).toMatchObject({ kind: 'unchanged', files: 2 });
      expect(await scenario.savedPaths()).toEqual(['a', 'b']);
    });

    it('but not for ever while others of its own come between', async () => {
      let saves = 0;
      const checkpoint = async (name: string) => {
        if (name !== 'save.blobs') return;
        saves += 1;
        scenario.one.write('a', `${saves}`);
        await scenario.saved(scenario.one);
        scenario.one.write('a', 'changed again');
      };
      scenario.one.write('a', '0');
      const failure = await scenario.save(scenario.one, null, { checkpoint }).catch((error) => error);
      expect(isBerthError(failure, 'INTERNAL')).toBe(true);
      expect(saves).toBe(3);
    });

    it('and is told so, though the store took the manifest and then refused it', async () => {
      scenario.one.write('a', '1');
      scenario.store.answerPut = (key, stored) => (key.endsWith('manifest.json') ? 'conflict' : stored);
      const result = await scenario.save(scenario.one, null);
      expect(result).toMatchObject({ kind: 'saved', files: 1 });
      expect(result.kind === 'saved' && result.version).toBe(await scenario.restore(scenario.two));
    });

    it('all or nothing: a crash before the manifest leaves what was there', async () => {
      scenario.one.write('a', '1');
      scenario.one.write('deleted', '1');
      const version = await scenario.saved(scenario.one);
      scenario.one.write('a', '2');
      scenario.one.remove('deleted');
      const checkpoint = (name: string) => {
        if (name === 'save.blobs') throw new Error('killed');
      };
      await expect(scenario.save(scenario.one, version, { checkpoint })).rejects.toThrow('killed');
      expect(scenario.store.blobPuts).toHaveLength(2);
      expect(await scenario.restore(scenario.two)).toBe(version);
      expect(scenario.two.tree()).toEqual([
        ['a', '644 1'],
        ['deleted', '644 1'],
      ]);
      expect(await scenario.save(scenario.one, version)).toMatchObject({
        kind: 'saved',
        uploaded: { blobs: 1 },
      });
    });
  });
}

/** Lets nobody on before all are there. */
function meeting(parties: number): (name: string) => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let there = 0;
  return async (name) => {
    if (name !== 'save.blobs') return;
    there += 1;
    if (there >= parties) resolve();
    await promise;
  };
}

async function saveAnew(scenario: SavingScenario): Promise<string | null> {
  scenario.owner = { tenant, conversation: newConversation() };
  const result = await scenario.save(scenario.one, null);
  if (result.kind === 'stale') throw new Error('nobody else saves');
  return result.version;
}

const digest = (tree: unknown): string => createHash('sha256').update(JSON.stringify(tree)).digest('hex');

const name = fc.oneof(
  fc.constantFrom('a', 'b', 'changes', ' ', '🎉', '__proto__'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
);
const path = fc
  .array(name, { minLength: 1, maxLength: 5 })
  .map((names) => names.join('/'))
  .filter(isTreePath);
const file = fc.record({
  content: fc.uint8Array({ maxLength: 2000 }),
  mode: fc.constantFrom(0o644, 0o600, 0o755, 0o444),
});
const trees = fc
  .uniqueArray(fc.tuple(path, file), { selector: ([path]) => path, maxLength: 12 })
  .filter((files) => !hasFileAsFolder(files.map(([path]) => path)));
