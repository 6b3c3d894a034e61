import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { S3Limits } from '../../runtime/objects/s3/s3-limits.ts';
import type { S3Location } from '../../runtime/objects/s3/s3-location.ts';
import { S3ObjectStore } from '../../runtime/objects/s3/s3-object-store.ts';
import {
  chunksOf,
  keysOf,
  MIB,
  putText,
  streamOf,
  streamThen,
  text,
} from '../contract/object-store/contents.ts';
import { CuttableRelay } from '../support/cuttable-relay.ts';
import { must } from '../support/must.ts';
import { describeWith, objectStore } from '../support/services/provided.ts';

const AWAY = { code: 'STORE_UNAVAILABLE', detail: expect.stringContaining('object store') };

describeWith('s3', 'the object store when S3 is away', () => {
  let relay: CuttableRelay;
  let location: S3Location;
  /** Over a way that holds. */
  let direct: S3ObjectStore;
  const stores: S3ObjectStore[] = [];
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);

  beforeEach(async () => {
    process.on('unhandledRejection', note);
    const { bucket, endpoint, env } = objectStore();
    const { hostname, port } = new URL(endpoint);
    relay = await CuttableRelay.open({ host: hostname, port: Number(port) });
    location = { bucket, prefix: `outage/${randomUUID()}/` };
    direct = new S3ObjectStore({ location, env });
  });

  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await direct.delete(await keysOf(direct));
    await direct.close();
    await relay[Symbol.asyncDispose]();
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  function open(limits: Partial<S3Limits> = {}): S3ObjectStore {
    const env = { ...objectStore().env, AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${relay.port}` };
    const store = new S3ObjectStore({ location, env, limits });
    stores.push(store);
    return store;
  }

  const everyCall = (store: S3ObjectStore): Promise<unknown>[] => [
    putText(store, 'new', 'x'),
    store.put('new', Buffer.from('x'), { size: 1, condition: { absent: true } }),
    store.get('k'),
    store.head('k'),
    keysOf(store),
    store.delete(['k']),
    store.ping(),
  ];

  describe('cut off', () => {
    it('fails every call at once, and all work again when it is back', async () => {
      const store = open();
      await putText(store, 'k', 'kept');
      relay.cut();
      const began = performance.now();
      await Promise.all(everyCall(store).map((call) => expect(call).rejects.toMatchObject(AWAY)));
      expect(performance.now() - began).toBeLessThan(5_000);
      relay.restore();
      expect(await text(store, 'k')).toBe('kept');
      await Promise.all(everyCall(store));
    });

    it('for a moment, is not noticed', async () => {
      const store = open();
      await putText(store, 'k', 'kept');
      relay.cut();
      const calls = Promise.all(everyCall(store));
      relay.restore();
      await calls;
    });

    it('in the middle of an upload, leaves nothing', async () => {
      const store = open();
      const content = streamThen(2 * MIB, async () => {
        relay.cut();
        return Buffer.alloc(MIB);
      });
      await expect(store.put('k', content, { size: 3 * MIB })).rejects.toMatchObject(AWAY);
      expect(content.destroyed).toBe(true);
      expect(await keysOf(direct)).toEqual([]);
    });

    it('in the middle of an object, fails its content', async () => {
      const store = open();
      await direct.put('k', streamOf(32 * MIB), { size: 32 * MIB });
      const { content } = must(await store.get('k'));
      const reading = content[Symbol.asyncIterator]();
      await reading.next();
      relay.cut();
      await expect(async () => {
        while ((await reading.next()).done !== true);
      }).rejects.toMatchObject(AWAY);
    });
  });

  describe('silent', () => {
    it('fails every small call after about 10 s', async () => {
      const store = open();
      await putText(store, 'k', 'kept');
      relay.freeze();
      const began = performance.now();
      const calls = everyCall(store);
      await Promise.all(calls.map((call) => expect(call).rejects.toMatchObject(AWAY)));
      const took = performance.now() - began;
      expect(took).toBeGreaterThan(5_000);
      expect(took).toBeLessThan(12_000);
    });

    it('for a moment, only takes longer', async () => {
      const store = open();
      await putText(store, 'k', 'kept');
      relay.freeze();
      const calls = Promise.all(everyCall(store));
      await vi.waitFor(() => expect(relay.connections).toBeGreaterThan(1));
      relay.restore();
      await calls;
    });

    it('fails an upload that stands still, and leaves nothing', async () => {
      const store = open({ stallMs: 300 });
      const content = streamThen(2 * MIB, async () => {
        relay.freeze();
        return Buffer.alloc(30 * MIB);
      });
      await expect(store.put('k', content, { size: 32 * MIB })).rejects.toMatchObject(AWAY);
      expect(content.destroyed).toBe(true);
      expect(await keysOf(direct)).toEqual([]);
    });

    it('fails a large buffer that stands still too', async () => {
      const store = open({ stallMs: 200 });
      relay.freeze();
      const content = Buffer.alloc(32 * MIB);
      await expect(store.put('k', content, { size: content.length })).rejects.toMatchObject(AWAY);
    });

    it('for a moment, goes on with an upload where it was', async () => {
      const store = open();
      let given = 0;
      async function* source() {
        for (const chunk of chunksOf(32 * MIB)) {
          if (given === 2 * MIB) relay.freeze();
          given += chunk.length;
          yield chunk;
        }
      }
      const put = store.put('k', Readable.from(source(), { objectMode: false }), { size: 32 * MIB });
      let before = -1;
      await vi.waitFor(() => {
        const stands = given > 2 * MIB && given === before;
        before = given;
        expect(stands).toBe(true);
      });
      expect(given).toBeLessThan(32 * MIB);
      relay.restore();
      await put;
      expect((await direct.head('k'))?.size).toBe(32 * MIB);
    });

    it('fails content that stands still', async () => {
      const store = open({ stallMs: 300 });
      await direct.put('k', streamOf(32 * MIB), { size: 32 * MIB });
      const { content } = must(await store.get('k'));
      const reading = content[Symbol.asyncIterator]();
      await reading.next();
      relay.freeze();
      await expect(async () => {
        while ((await reading.next()).done !== true);
      }).rejects.toMatchObject({ ...AWAY, detail: expect.stringContaining('stood still for 0.3 s') });
    });

    it('ends calls when the store closes or their caller gives up', async () => {
      const store = open();
      await store.ping();
      relay.freeze();
      const reason = new Error('no longer wanted');
      const giveUp = new AbortController();
      const put = store.put('k', Buffer.from('x'), { size: 1, signal: giveUp.signal });
      const refused = expect(put).rejects.toBe(reason);
      const closed = expect(store.ping()).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
      await vi.waitFor(() => expect(relay.connections).toBeGreaterThan(1));
      giveUp.abort(reason);
      await refused;
      await store.close();
      await closed;
    });
  });

  it('from the start, it is opened all the same', async () => {
    relay.cut();
    const store = open();
    await expect(store.ping()).rejects.toMatchObject(AWAY);
    relay.restore();
    await store.ping();
    await store.put('k', Buffer.from('x'), { size: 1 });
    expect((await buffer(must(await store.get('k')).content)).toString()).toBe('x');
  });
});
