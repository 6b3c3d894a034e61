import type { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { ObjectStore, PutOptions } from '../../../runtime/objects/object-store.ts';
import { keysOf, MIB, never, putText, streamOf, streamThen, text } from './contents.ts';
import type { OpenStore } from './store-under-test.ts';

/** What a put of it fails with, and that it leaves no object, or the old one as it was. */
async function expectNothingOf(
  store: ObjectStore,
  contentOf: () => Readable,
  options: () => PutOptions,
  failure: unknown,
): Promise<void> {
  const version = await putText(store, 'old', 'old');
  for (const key of ['new', 'old']) {
    const content = contentOf();
    await expect(store.put(key, content, options())).rejects.toEqual(failure);
    expect(content.destroyed).toBe(true);
  }
  expect(await text(store, 'old')).toBe('old');
  expect((await store.head('old'))?.version).toBe(version);
  expect(await keysOf(store)).toEqual(['old']);
}

const wrong = (problem: string) =>
  expect.objectContaining({ code: 'INTERNAL', detail: expect.stringContaining(problem) });

export function contentContract(open: OpenStore): void {
  describe.each([
    ['small', 1000],
    ['large', 2 * MIB],
  ])('%s content leaves nothing when it', (_, size) => {
    it('is shorter than was said', async () => {
      const { store } = await open();
      const failure = wrong(`ended after ${size - 1} of ${size} bytes`);
      await expectNothingOf(
        store,
        () => streamOf(size - 1),
        () => ({ size }),
        failure,
      );
    });

    it('is longer than was said', async () => {
      const { store } = await open();
      const failure = wrong(`has more than ${size} bytes`);
      await expectNothingOf(
        store,
        () => streamOf(size + 1),
        () => ({ size }),
        failure,
      );
      // All that was said is there, and then comes more.
      const more = () => streamThen(size, async () => Buffer.from('more'));
      await expectNothingOf(store, more, () => ({ size }), failure);
    });

    it('is a buffer of another size', async () => {
      const { store } = await open();
      for (const other of [size - 1, size + 1]) {
        const put = store.put('k', Buffer.alloc(other), { size });
        await expect(put).rejects.toMatchObject({ code: 'INTERNAL' });
      }
      expect(await keysOf(store)).toEqual([]);
    });
  });

  describe.each([
    ['small content', 1000, 1000],
    ['large content', 2 * MIB, 2 * MIB],
    ['small content of unknown size', 1000, 'unknown'],
    ['content of unknown size, of several parts,', 9 * MIB, 'unknown'],
  ] as const)('%s leaves nothing when it', (_, length, size) => {
    it.each([0, 0.5, 1])('breaks, at %d of it, and its own failure is thrown', async (part) => {
      const { store } = await open();
      // As what an outage of the store itself would be.
      const failure = Object.assign(new Error('the agent is gone'), { code: 'ECONNRESET' });
      const breaking = () => streamThen(Math.floor(length * part), () => Promise.reject(failure));
      await expectNothingOf(store, breaking, () => ({ size }), failure);
    });

    it.each([0, 0.5, 1])('is aborted, at %d of it, and the reason is thrown', async (part) => {
      const { store } = await open();
      const reason = new Error('no longer wanted');
      let abort = new AbortController();
      const aborting = () =>
        streamThen(Math.floor(length * part), () => {
          abort.abort(reason);
          return never();
        });
      const options = () => {
        abort = new AbortController();
        return { size, signal: abort.signal };
      };
      await expectNothingOf(store, aborting, options, reason);
    });

    it('was aborted before', async () => {
      const { store } = await open();
      const signal = AbortSignal.abort(new Error('never wanted'));
      await expectNothingOf(
        store,
        () => streamOf(length),
        () => ({ size, signal }),
        signal.reason,
      );
    });

    it.each([0, 0.5, 1])('stands still, at %d of it', async (part) => {
      const { store } = await open({ stallMs: 100 });
      const failure = wrong('stood still for 0.1 s');
      await expectNothingOf(
        store,
        () => streamThen(Math.floor(length * part), never),
        () => ({ size }),
        failure,
      );
    });
  });
}
