import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { must } from '../../support/must.ts';
import { MIB, never, putText, streamOf, streamThen } from './contents.ts';
import type { OpenStore } from './store-under-test.ts';

const CLOSED = { code: 'SHUTTING_DOWN' };

export function closingContract(open: OpenStore): void {
  describe('a closed store', () => {
    it('does nothing any more', async () => {
      const { store } = await open();
      await store.close();
      const content = streamOf(1);
      await expect(store.put('k', content, { size: 1 })).rejects.toMatchObject(CLOSED);
      expect(content.destroyed).toBe(true);
      await expect(store.get('k')).rejects.toMatchObject(CLOSED);
      await expect(store.head('k')).rejects.toMatchObject(CLOSED);
      await expect(Array.fromAsync(store.list(''))).rejects.toMatchObject(CLOSED);
      await expect(store.delete(['k'])).rejects.toMatchObject(CLOSED);
      await expect(store.ping()).rejects.toMatchObject(CLOSED);
      await store.close();
    });

    it.each([
      [2 * MIB, 3 * MIB],
      [17 * MIB, 'unknown'],
    ] as const)('has ended the puts that were under way (%s bytes of %s)', async (given, size) => {
      const { store } = await open();
      const begun = Promise.withResolvers<void>();
      const content = streamThen(given, () => {
        begun.resolve();
        return never();
      });
      const put = store.put('k', content, { size });
      put.catch(() => {});
      await begun.promise;
      await store.close();
      await expect(put).rejects.toMatchObject(CLOSED);
      expect(content.destroyed).toBe(true);
    });

    it('has ended what was being read, and what nobody began to read', async () => {
      const { store } = await open();
      await store.put('k', streamOf(4 * MIB), { size: 4 * MIB });
      const [read, unread] = [must(await store.get('k')).content, must(await store.get('k')).content];
      const reading = read[Symbol.asyncIterator]();
      await reading.next();
      await putText(store, 'other', 'x');
      await store.close();
      await expect(async () => {
        while ((await reading.next()).done !== true);
      }).rejects.toMatchObject(CLOSED);
      await expect(buffer(unread)).rejects.toMatchObject(CLOSED);
    });
  });
}
