import { createHash, randomBytes } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BerthError } from '../../../runtime/contracts/errors.ts';
import type { ObjectStore } from '../../../runtime/objects/object-store.ts';
import { S3ObjectStore } from '../../../runtime/objects/s3/s3-object-store.ts';
import { archiveKey, metaKey } from '../../../runtime/workspaces/archive-key.ts';
import { StorageProvider } from '../../../runtime/workspaces/storage-provider.ts';
import { workspace } from '../../contract/database/workspace-scenario.ts';
import {
  chunksOf,
  keysOf,
  MIB,
  never,
  putText,
  streamThen,
  text,
} from '../../contract/object-store/contents.ts';
import {
  directoryUnderTest,
  type OpenStore,
  type StoreUnderTest,
  s3UnderTest,
} from '../../contract/object-store/store-under-test.ts';
import { describeWith, objectStore } from '../../support/services/provided.ts';
import { FaultyS3 } from '../objects/faulty-s3.ts';
import { ArchivedVolume, archivedHome } from './archived-volume.ts';

const KEY = archiveKey(workspace(), 'op-1');
const HOME = archivedHome();
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const signal = new AbortController().signal;
const streamed = (bytes: Buffer) => () => Readable.from([bytes.subarray(0, 10), bytes.subarray(10)]);

/** The store, with something else done at some of its calls. */
function altered(store: ObjectStore, calls: Partial<ObjectStore>): ObjectStore {
  return {
    put: (...args) => store.put(...args),
    get: (key) => store.get(key),
    head: (key) => store.head(key),
    list: (prefix) => store.list(prefix),
    delete: (keys) => store.delete(keys),
    ping: () => store.ping(),
    close: () => store.close(),
    ...calls,
  };
}

function storageContract(open: OpenStore): void {
  let under: StoreUnderTest;
  let store: ObjectStore;
  beforeEach(async () => {
    under = await open();
    store = under.store;
  });
  afterEach(() => under[Symbol.asyncDispose]());

  const home = (bytes = HOME.bytes, entries = HOME.entries) => new ArchivedVolume(streamed(bytes), entries);
  const archive = (volume: ArchivedVolume, objects = store, stop = signal) =>
    new StorageProvider(volume, objects).archive(workspace(), KEY, stop);
  const restore = (volume: ArchivedVolume, objects = store) =>
    new StorageProvider(volume, objects).restore(workspace(), KEY, signal);

  describe('an archive', () => {
    it('is written, read back, and only then has the hash that makes it one', async () => {
      const done: string[] = [];
      const noting = altered(store, {
        put: (key, ...rest) => {
          done.push(`put ${key}`);
          return store.put(key, ...rest);
        },
        get: (key) => {
          done.push(`get ${key}`);
          return store.get(key);
        },
      });
      await archive(home(), noting);
      expect(done).toEqual([`put ${KEY}`, `get ${KEY}`, `put ${metaKey(KEY)}`, `get ${metaKey(KEY)}`]);
      expect(await text(store, metaKey(KEY))).toBe(`sha256:${sha256(HOME.bytes)}`);
      const restored = home();
      await restore(restored);
      expect(restored.restored).toEqual({
        bytes: HOME.bytes,
        archive: { key: KEY, sha256: sha256(HOME.bytes) },
      });
    });

    it('of several parts comes back as it was', async () => {
      const large = archivedHome(randomBytes(9 * MIB));
      const volume = home(large.bytes, large.entries);
      await archive(volume);
      await restore(volume);
      expect(volume.restored?.bytes.equals(large.bytes)).toBe(true);
    });

    const broken: [string, Buffer, number, RegExp][] = [
      ['has other entries than the volume', HOME.bytes, HOME.entries + 1, /4 entries of 5/],
      ['is cut short', HOME.bytes.subarray(0, -20), HOME.entries, /can't be read back/],
      ['is nothing', Buffer.alloc(0), 0, /can't be read back/],
      ['is no archive', Buffer.from('a home, honestly'), 1, /can't be read back/],
    ];
    it.each(broken)('that %s is none', async (_, bytes, entries, detail) => {
      await expect(archive(home(bytes, entries))).rejects.toMatchObject({
        code: 'ARCHIVE_FAILED',
        detail: expect.stringMatching(detail),
      });
      expect(await keysOf(store)).toEqual([KEY]);
    });

    it('that the store keeps otherwise than it was given is none', async () => {
      const corrupting = altered(store, {
        async put(key, content, options) {
          const stored = await store.put(key, content, options);
          const other = archivedHome('lost').bytes;
          await store.put(key, other, { size: other.length });
          return stored;
        },
      });
      await expect(archive(home(), corrupting)).rejects.toMatchObject({
        code: 'ARCHIVE_FAILED',
        detail: expect.stringContaining('another content'),
      });
      expect(await keysOf(store)).toEqual([KEY]);
    });

    it('that the store has lost before it is read back is none', async () => {
      const losing = altered(store, {
        async put(key, content, options) {
          const stored = await store.put(key, content, options);
          await store.delete([key]);
          return stored;
        },
      });
      await expect(archive(home(), losing)).rejects.toMatchObject({
        code: 'ARCHIVE_FAILED',
        detail: expect.stringContaining('not there'),
      });
      expect(await keysOf(store)).toEqual([]);
    });

    it('whose hash can not be written is none', async () => {
      const away = new BerthError('STORE_UNAVAILABLE', 'the store is away');
      const failing = altered(store, {
        put: (key, ...rest) => (key === KEY ? store.put(key, ...rest) : Promise.reject(away)),
      });
      await expect(archive(home(), failing)).rejects.toBe(away);
      expect(await keysOf(store)).toEqual([KEY]);
    });

    it.each([0.1, 9])('that its volume fails after %d MiB leaves nothing, and that is told', async (size) => {
      const failure = new BerthError('ARCHIVE_FAILED', 'tar ended with exit code 2');
      const volume = new ArchivedVolume(
        () => streamThen(size * MIB, () => Promise.reject(failure)),
        HOME.entries,
      );
      await expect(archive(volume)).rejects.toBe(failure);
      expect(await keysOf(store)).toEqual([]);
    });

    it.each([0.1, 9])(
      'that is aborted after %d MiB leaves nothing, and lets go of the volume',
      async (size) => {
        const stop = new AbortController();
        const reason = new BerthError('SHUTTING_DOWN', 'the service is shutting down');
        const content = streamThen(size * MIB, () => {
          stop.abort(reason);
          return never();
        });
        await expect(archive(new ArchivedVolume(() => content, 1), store, stop.signal)).rejects.toBe(reason);
        expect(content.destroyed).toBe(true);
        expect(await keysOf(store)).toEqual([]);
      },
    );

    it('is not read on when it is aborted while it is read back', async () => {
      const stop = new AbortController();
      const reason = new Error('another goes on with it');
      const content = new PassThrough();
      const stalling = altered(store, {
        async get(key) {
          const found = await store.get(key);
          found?.content.destroy();
          stop.abort(reason);
          return found && { ...found, content };
        },
      });
      await expect(archive(home(), stalling, stop.signal)).rejects.toBe(reason);
      expect(content.destroyed).toBe(true);
      expect(await keysOf(store)).toEqual([KEY]);
    });
  });

  describe('a restore', () => {
    beforeEach(() => archive(home()));
    const corrupt = { code: 'ARCHIVE_CORRUPT', detail: expect.stringContaining(KEY) };

    it.each([
      ['its hash is lost', () => store.delete([metaKey(KEY)])],
      ['its hash is none', () => putText(store, metaKey(KEY), 'sha256:0123')],
      [
        'its hash is followed by more',
        () => putText(store, metaKey(KEY), `sha256:${'0'.repeat(64)}${'1'.repeat(5000)}`),
      ],
      ['it is lost itself', () => store.delete([KEY])],
      ['it is another than was hashed', () => putText(store, KEY, 'other')],
    ])('is refused when %s', async (_, damage) => {
      await damage();
      const volume = home();
      await expect(restore(volume)).rejects.toMatchObject(corrupt);
      expect(volume.restored).toBeUndefined();
    });

    it('fails as its volume does, and lets go of the archive', async () => {
      const failure = new BerthError('DISK_FULL', 'no room');
      let content: Readable | undefined;
      const volume = home();
      volume.restore = async (_name, given) => {
        content = given;
        throw failure;
      };
      await expect(restore(volume)).rejects.toBe(failure);
      expect(content?.destroyed).toBe(true);
    });
  });
}

describe('homes in a directory', () => storageContract(directoryUnderTest));

describeWith('s3', 'homes in S3', () => {
  storageContract(s3UnderTest);

  it('are not archived by a store that fails in the middle, and it is the store that is named', async () => {
    await using faulty = await FaultyS3.before(objectStore().endpoint);
    const { bucket, env } = objectStore();
    const store = new S3ObjectStore({
      location: { bucket, prefix: 'homes/' },
      env: { ...env, AWS_ENDPOINT_URL_S3: faulty.endpoint },
    });
    faulty.otherwise = ({ path }) =>
      path.includes('partNumber=2') ? { status: 503, code: 'SlowDown' } : undefined;
    const content = Readable.from(chunksOf(40 * MIB));
    const provider = new StorageProvider(new ArchivedVolume(() => content, 1), store);
    await expect(provider.archive(workspace(), KEY, signal)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
    expect(content.destroyed).toBe(true);
    expect(faulty.seen.at(-1)?.method).toBe('DELETE');
    expect(await keysOf(store)).toEqual([]);
    await store.close();
  });
});
