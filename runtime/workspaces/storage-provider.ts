import { pipeline } from 'node:stream/promises';
import type { VolumeBackend, VolumeIncarnation } from '../containers/volume-backend.ts';
import { BerthError, isBerthError } from '../contracts/errors.ts';
import { homeVolume, type WorkspaceId } from '../contracts/ids.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { metaKey } from './archive-key.ts';
import { Hashing } from './hashing.ts';
import { readBack } from './read-back.ts';

const META = /^sha256:([0-9a-f]{64})$/;
const META_BYTES = 100;

/** The homes of workspaces: volumes while they are used, archives in the object store when they are not. */
export class StorageProvider {
  readonly #volumes: VolumeBackend;
  readonly #objects: ObjectStore;

  constructor(volumes: VolumeBackend, objects: ObjectStore) {
    this.#volumes = volumes;
    this.#objects = objects;
  }

  provision(workspace: WorkspaceId): Promise<void> {
    return this.#volumes.provision(homeVolume(workspace));
  }

  findVolume(workspace: WorkspaceId): Promise<VolumeIncarnation | undefined> {
    return this.#volumes.find(homeVolume(workspace));
  }

  /** The given one only, if one is given. */
  deleteVolume(workspace: WorkspaceId, incarnation?: VolumeIncarnation): Promise<void> {
    return this.#volumes.delete(homeVolume(workspace), incarnation);
  }

  /** Writes the archive, reads it back whole, and only then the hash that makes it one. The volume stays. */
  async archive(workspace: WorkspaceId, key: string, signal: AbortSignal): Promise<void> {
    const archive = await this.#volumes.archive(homeVolume(workspace), signal);
    const hashing = new Hashing();
    const passed = pipeline(archive.content, hashing, { signal });
    passed.catch(() => {}); // the put has it from its content, and what fails the put is no failure of the content
    await this.#objects.put(key, hashing, { size: 'unknown', signal });
    await passed;
    const sha256 = hashing.sha256();
    const found = await readBack(this.#objects, key, signal);
    if (found.sha256 !== sha256 || found.entries !== archive.entries()) {
      throw new BerthError(
        'ARCHIVE_FAILED',
        `${key} was read back with another content than was written (${found.entries} entries of ${archive.entries()})`,
      );
    }
    const meta = Buffer.from(`sha256:${sha256}`);
    await this.#objects.put(metaKey(key), meta, { size: meta.length, signal });
    if ((await this.#hashOf(key, 'ARCHIVE_FAILED')) !== sha256)
      throw new BerthError(
        'ARCHIVE_FAILED',
        `${metaKey(key)} was read back with another hash than was written`,
      );
  }

  /** Fills the volume, which must be there, with the archive and nothing else. Done already: fine. */
  async restore(workspace: WorkspaceId, key: string, signal: AbortSignal): Promise<void> {
    const sha256 = await this.#hashOf(key, 'ARCHIVE_CORRUPT');
    const found = await this.#objects.get(key);
    if (found === undefined) throw new BerthError('ARCHIVE_CORRUPT', `the object store has no ${key}`);
    try {
      await this.#volumes.restore(homeVolume(workspace), found.content, { key, sha256 }, signal);
    } catch (error) {
      if (!isBerthError(error, 'ARCHIVE_CORRUPT')) throw error;
      throw new BerthError('ARCHIVE_CORRUPT', `${key}: ${error.detail}`, {}, error);
    } finally {
      found.content.destroy();
    }
  }

  async #hashOf(key: string, otherwise: 'ARCHIVE_FAILED' | 'ARCHIVE_CORRUPT'): Promise<string> {
    const meta = await this.#objects.get(metaKey(key));
    if (meta === undefined) throw new BerthError(otherwise, `the object store has no ${metaKey(key)}`);
    let text = '';
    for await (const piece of meta.content) {
      text += piece;
      if (text.length > META_BYTES) break;
    }
    const sha256 = META.exec(text)?.[1];
    if (sha256 === undefined) throw new BerthError(otherwise, `${metaKey(key)} holds no hash`);
    return sha256;
  }
}
