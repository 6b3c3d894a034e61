import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { LARGEST_OBJECT_BYTES } from '../../../runtime/objects/object-store.ts';
import { must } from '../../support/must.ts';
import { BufferMeter, chunksOf, keysOf, MIB, putText, streamOf, text, variedBytes } from './contents.ts';
import type { OpenStore } from './store-under-test.ts';

export function puttingContract(open: OpenStore): void {
  describe('an object', () => {
    it.each([
      ['a buffer', (size: number) => Buffer.alloc(size, 1)],
      ['a stream', (size: number) => streamOf(size)],
    ])('is what was put, from %s, of any size', async (_, contentOf) => {
      const { store } = await open();
      for (const size of [0, 1, 100_000, 3 * MIB + 1]) {
        const key = `sized/${size}`;
        const before = Date.now();
        const { version } = must(await stored(store.put(key, contentOf(size), { size })));
        const { content, ...found } = must(await store.get(key));
        expect((await buffer(content)).equals(Buffer.alloc(size, 1))).toBe(true);
        expect(found).toEqual({ size, version, modifiedAt: expect.any(Number) });
        // S3 tells whole seconds.
        expect(found.modifiedAt).toBeGreaterThan(before - 2_000);
        expect(found.modifiedAt).toBeLessThan(Date.now() + 2_000);
        expect(await store.head(key)).toEqual(found);
      }
    });

    it('is what was put, though nobody knew of what size', async () => {
      const { store } = await open();
      const whole = variedBytes(17 * MIB);
      const check = async (bytes: Buffer, content: Buffer | Readable) => {
        const { version } = must(await stored(store.put('k', content, { size: 'unknown' })));
        const found = must(await store.get('k'));
        expect((await buffer(found.content)).equals(bytes)).toBe(true);
        expect([found.size, found.version]).toEqual([bytes.length, version]);
      };
      for (const size of [0, 1, 100_000, 8 * MIB, 8 * MIB + 1, whole.length]) {
        const bytes = whole.subarray(0, size);
        const content = Readable.from(pieces(bytes), { objectMode: false });
        await check(bytes, content);
        expect(content.destroyed).toBe(true);
      }
      await check(whole.subarray(0, 1000), whole.subarray(0, 1000));
      expect(await keysOf(store)).toEqual(['k']);
    });

    it('is replaced whole, under another version', async () => {
      const { store } = await open();
      const first = await putText(store, 'k', 'the first, which is longer');
      const second = await putText(store, 'k', 'the second');
      expect(second).not.toBe(first);
      expect(await text(store, 'k')).toBe('the second');
      expect((await store.head('k'))?.version).toBe(second);
      expect(await keysOf(store)).toEqual(['k']);
    });

    it('is undefined when there is none', async () => {
      const { store } = await open();
      await putText(store, 'a/b', 'x');
      for (const key of ['a', 'a/b/c', 'absent']) {
        expect(await store.get(key)).toBeUndefined();
        expect(await store.head(key)).toBeUndefined();
      }
    });

    it('is the old or the new to its readers, never a mixture or a part', async () => {
      const { store } = await open();
      const contents = [Buffer.alloc(2 * MIB, 1), Buffer.alloc(MIB + 5, 2)];
      const put = (content: Buffer) => store.put('k', content, { size: content.length });
      await put(must(contents[0]));
      let writing = true;
      const write = async () => {
        for (let n = 0; n < 10; n++) await put(must(contents[n % 2]));
        writing = false;
      };
      const seen = new Set<number>();
      const read = async () => {
        while (writing) {
          const { content, size } = must(await store.get('k'));
          const bytes = await buffer(content);
          const which = contents.findIndex((each) => each.equals(bytes));
          expect(which).not.toBe(-1);
          expect(size).toBe(bytes.length);
          seen.add(which);
        }
      };
      await Promise.all([write(), read(), read(), read()]);
      expect([...seen].sort()).toEqual([0, 1]);
    });

    it('is read as it was when reading began, whatever happens to it meanwhile', async () => {
      const { store } = await open();
      await store.put('k', Buffer.alloc(MIB, 1), { size: MIB });
      const before = must(await store.get('k'));
      await putText(store, 'k', 'new');
      await store.delete(['k']);
      expect((await buffer(before.content)).equals(Buffer.alloc(MIB, 1))).toBe(true);
    });

    it.each([
      { told: 'known', most: 8 * MIB },
      { told: 'unknown', most: 24 * MIB },
    ] as const)(
      'of $told size goes in and out as a stream: a large one takes little memory',
      async ({ told, most }) => {
        const { store } = await open();
        const size = 64 * MIB;
        const meter = new BufferMeter();
        let given = 0;
        async function* source() {
          for (const chunk of chunksOf(size, 7)) {
            if (given % (16 * MIB) === 0) meter.measure();
            given += chunk.length;
            yield chunk;
          }
        }
        const content = Readable.from(source(), { objectMode: false });
        await store.put('large', content, { size: told === 'known' ? size : told });
        expect(given).toBe(size);
        expect(meter.most).toBeLessThan(most);

        let taken = 0;
        let next = 0;
        for await (const chunk of must(await store.get('large')).content) {
          if (taken >= next) {
            meter.measure();
            next += 16 * MIB;
          }
          taken += chunk.length;
          if (!chunk.equals(Buffer.alloc(chunk.length, 7))) throw new Error('another byte');
        }
        expect(taken).toBe(size);
        expect(meter.most).toBeLessThan(most);
      },
      60_000,
    );

    it('is refused when it is too large for one request', async () => {
      const { store } = await open();
      const put = store.put('k', streamOf(1), { size: LARGEST_OBJECT_BYTES + 1 });
      await expect(put).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' });
      expect(await keysOf(store)).toEqual([]);
    });
  });

  it('a store that can be used answers a ping', async () => {
    const { store } = await open();
    await store.ping();
  });
}

/** Of odd lengths, so that they end nowhere near where parts do. */
function* pieces(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 77_777) yield bytes.subarray(at, at + 77_777);
}

async function stored<T>(put: Promise<T | 'conflict'>): Promise<T | undefined> {
  const outcome = await put;
  return outcome === 'conflict' ? undefined : outcome;
}
