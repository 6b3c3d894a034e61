import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { DirectoryObjectStore } from '../../../runtime/objects/directory/directory-object-store.ts';
import type { ObjectStore } from '../../../runtime/objects/object-store.ts';
import { S3ObjectStore } from '../../../runtime/objects/s3/s3-object-store.ts';
import { objectStore } from '../../support/services/provided.ts';
import { unfinishedUploads } from './unfinished-uploads.ts';

/** An empty store. */
export interface StoreUnderTest extends AsyncDisposable {
  store: ObjectStore;
  /** Of the 1024 bytes of a key, what the store does not need itself. */
  longestKey: number;
}

/** Gives each test a store of its own. */
export type OpenStore = (options?: { stallMs?: number }) => Promise<StoreUnderTest>;

export const directoryUnderTest: OpenStore = async (options = {}) => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-objects-'));
  const store = await DirectoryObjectStore.open(join(folder, 'objects'), options);
  return {
    store,
    longestKey: 1024,
    async [Symbol.asyncDispose]() {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
};

export const s3UnderTest: OpenStore = async (options = {}) => {
  const { bucket, env } = objectStore();
  const location = { bucket, prefix: `contract/${randomUUID()}/` };
  const store = new S3ObjectStore({ location, env, limits: options });
  return {
    store,
    longestKey: 1024 - location.prefix.length,
    async [Symbol.asyncDispose]() {
      await store.close();
      const sweeper = new S3ObjectStore({ location, env });
      const left = await Array.fromAsync(sweeper.list(''), ({ key }) => key);
      await sweeper.delete(left);
      await sweeper.close();
      expect(await unfinishedUploads(location.prefix)).toEqual([]);
    },
  };
};
