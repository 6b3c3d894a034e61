import { describe, expect, it } from 'vitest';
import { must } from '../../support/must.ts';
import { keysOf, putText, text } from './contents.ts';
import type { OpenStore } from './store-under-test.ts';

export function listingContract(open: OpenStore): void {
  describe('a list', () => {
    it('has every key that begins so, in order, over as many pages as it takes', async () => {
      const { store } = await open();
      const keys = Array.from({ length: 1100 }, (_, n) => `many/${n}`);
      const others = ['man', 'many', 'many-more', 'many0', 'other'];
      const queue = [...keys, ...others];
      const work = async () => {
        for (let key = queue.pop(); key !== undefined; key = queue.pop()) await putText(store, key, key);
      };
      await Promise.all(Array.from({ length: 20 }, work));

      expect(await keysOf(store, 'many/')).toEqual(keys.toSorted());
      expect(await keysOf(store)).toEqual([...keys, ...others].sort());
      expect(await keysOf(store, 'many/99')).toEqual(keys.filter((key) => key.startsWith('many/99')).sort());
      expect(await keysOf(store, 'nothing')).toEqual([]);

      await store.delete([...keys, 'many/absent']);
      expect(await keysOf(store)).toEqual(others.toSorted());
    });

    it('tells sizes and times, and versions where it has them', async () => {
      const { store } = await open();
      await putText(store, 'a/one', '1');
      await putText(store, 'a/three', '333');
      const listed = await Array.fromAsync(store.list('a/'));
      expect(listed.map(({ key, size }) => ({ key, size }))).toEqual([
        { key: 'a/one', size: 1 },
        { key: 'a/three', size: 3 },
      ]);
      for (const { key, version, modifiedAt } of listed) {
        const head = must(await store.head(key));
        expect(modifiedAt).toBeCloseTo(head.modifiedAt, -4);
        if (version !== undefined) expect(version).toBe(head.version);
      }
    });

    it('can be left before its end, and objects deleted while it goes on', async () => {
      const { store } = await open();
      for (const key of ['a/1', 'a/2', 'b/1']) await putText(store, key, 'x');
      for await (const { key } of store.list('')) {
        expect(key).toBe('a/1');
        break;
      }
      const seen: string[] = [];
      for await (const { key } of store.list('')) {
        seen.push(key);
        await store.delete([key]);
      }
      expect(seen).toEqual(['a/1', 'a/2', 'b/1']);
      expect(await keysOf(store)).toEqual([]);
    });
  });

  describe('a deletion', () => {
    it('takes what it names and nothing else, and minds no absence', async () => {
      const { store } = await open();
      for (const key of ['a', 'a/b', 'a/b/c', 'a/bc']) await putText(store, key, key);
      await store.delete(['a/b', 'absent', 'a/absent/c']);
      expect(await keysOf(store)).toEqual(['a', 'a/b/c', 'a/bc']);
      await store.delete([]);
      await store.delete(['a/b', 'a/b']);
      expect(await keysOf(store)).toEqual(['a', 'a/b/c', 'a/bc']);
    });

    it('beside puts into the same folder loses none of them', async () => {
      const { store } = await open();
      const keys = Array.from({ length: 8 }, (_, n) => `deep/er/${n}`);
      const putAndDelete = async (key: string) => {
        for (let round = 0; round < 15; round++) {
          await putText(store, key, `${round}`);
          expect(await text(store, key)).toBe(`${round}`);
          await store.delete([key]);
          expect(await store.head(key)).toBeUndefined();
        }
        await putText(store, key, 'last');
      };
      await Promise.all(keys.map(putAndDelete));
      expect(await keysOf(store)).toEqual(keys);
    });
  });
}
