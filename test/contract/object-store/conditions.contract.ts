import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { ObjectStore, PutCondition } from '../../../runtime/objects/object-store.ts';
import { must } from '../../support/must.ts';
import { MIB, putText, streamOf, text } from './contents.ts';
import type { OpenStore } from './store-under-test.ts';

const WRITERS = 16;
const ROUNDS = 5;

export function conditionsContract(open: OpenStore): void {
  const absent = { absent: true } as const;

  describe('a put on condition', () => {
    it('that there is none makes the first and leaves it to a second', async () => {
      const { store } = await open();
      const first = await store.put('k', Buffer.from('1'), { size: 1, condition: absent });
      expect(first).toEqual({ version: must(await store.head('k')).version });
      expect(await store.put('k', Buffer.from('2'), { size: 1, condition: absent })).toBe('conflict');
      expect(await text(store, 'k')).toBe('1');

      await store.delete(['k']);
      expect(await store.put('k', Buffer.from('3'), { size: 1, condition: absent })).not.toBe('conflict');
      expect(await text(store, 'k')).toBe('3');
    });

    it('of a version replaces that one only', async () => {
      const { store } = await open();
      const first = await putText(store, 'k', 'first');
      const second = await store.put('k', Buffer.from('second'), { size: 6, condition: { version: first } });
      expect(second).toEqual({ version: must(await store.head('k')).version });
      expect(await store.put('k', Buffer.from('3'), { size: 1, condition: { version: first } })).toBe(
        'conflict',
      );
      expect(await text(store, 'k')).toBe('second');
    });

    it('of a version whose object is gone, or never was, makes none', async () => {
      const { store } = await open();
      const version = await putText(store, 'k', 'first');
      await store.delete(['k']);
      for (const key of ['k', 'never']) {
        expect(await store.put(key, Buffer.from('2'), { size: 1, condition: { version } })).toBe('conflict');
        expect(await store.head(key)).toBeUndefined();
      }
    });

    it('holds for a large stream too, which is let go of when it does not', async () => {
      const { store } = await open();
      const size = 2 * MIB;
      const first = streamOf(size, 1);
      expect(await store.put('k', first, { size, condition: absent })).not.toBe('conflict');
      const second = streamOf(size, 2);
      expect(await store.put('k', second, { size, condition: absent })).toBe('conflict');
      expect([first.destroyed, second.destroyed]).toEqual([true, true]);
      expect((await buffer(must(await store.get('k')).content)).equals(Buffer.alloc(size, 1))).toBe(true);
    });

    it('holds for content of unknown size and several parts too', async () => {
      const { store } = await open();
      const put = (value: number, condition: PutCondition) =>
        store.put('k', streamOf(9 * MIB, value), { size: 'unknown', condition });
      const first = await put(1, absent);
      expect(first).toEqual({ version: must(await store.head('k')).version });
      expect(await put(2, absent)).toBe('conflict');
      expect(await put(2, { version: 'another' })).toBe('conflict');
      expect(await firstByte(store)).toBe(1);
      const second = await put(3, { version: first === 'conflict' ? '' : first.version });
      expect(second).toEqual({ version: must(await store.head('k')).version });
      expect(await firstByte(store)).toBe(3);
      await store.delete(['k']);
      expect(await put(4, { version: second === 'conflict' ? '' : second.version })).toBe('conflict');
      expect(await store.head('k')).toBeUndefined();
    });

    it.each(['absent', 'version'])('(%s) of many writers lets exactly one through', async (kind) => {
      const { store } = await open();
      for (let round = 0; round < ROUNDS; round++) {
        const key = `round-${round}`;
        const condition: PutCondition =
          kind === 'absent' ? absent : { version: await putText(store, key, 'before') };
        const outcomes = await Promise.all(
          Array.from({ length: WRITERS }, async (_, writer) => {
            const content = Buffer.from(`written by ${writer}`);
            const outcome = await store.put(key, content, { size: content.length, condition });
            return { writer, outcome };
          }),
        );
        const won = outcomes.filter(({ outcome }) => outcome !== 'conflict');
        expect(won).toHaveLength(1);
        expect(await text(store, key)).toBe(`written by ${won[0]?.writer}`);
        expect(won[0]?.outcome).toEqual({ version: must(await store.head(key)).version });
      }
    });

    it('loses no update of writers who read, add and try again', async () => {
      const { store } = await open();
      await putText(store, 'k', '');
      const add = async (letter: string): Promise<void> => {
        const { content, version } = must(await store.get('k'));
        const next = Buffer.concat([await buffer(content), Buffer.from(letter)]);
        const outcome = await store.put('k', next, { size: next.length, condition: { version } });
        if (outcome === 'conflict') await add(letter);
      };
      const letters = [...'abcdefgh'];
      await Promise.all(letters.map(add));
      expect([...must(await text(store, 'k'))].sort()).toEqual(letters);
    });
  });
}

async function firstByte(store: ObjectStore): Promise<number | undefined> {
  return (await buffer(must(await store.get('k')).content))[0];
}
