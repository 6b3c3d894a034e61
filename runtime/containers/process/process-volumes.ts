import { mkdir } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { BerthError } from '../../contracts/errors.ts';
import type { VolumeName } from '../../contracts/ids.ts';
import { LABEL } from '../../contracts/labels.ts';
import { type Installation, ownRole, takenBy, volumeLabels } from '../ownership.ts';
import type { User } from '../socket-folder.ts';
import type { ArchiveName, ArchiveStream, VolumeBackend, VolumeIncarnation } from '../volume-backend.ts';
import { VolumeContents } from '../volume-contents.ts';
import type { VolumeJob, VolumeRun } from '../volume-run.ts';
import { VolumeRuns } from '../volume-runs.ts';
import { removeHalves } from './container-folder.ts';
import { startChild } from './volume-child.ts';
import { VolumeFolder, volumeNames } from './volume-folder.ts';

export interface ProcessVolumesSettings extends Installation {
  /** Held by this runtime alone. */
  path: string;
  bwrapPath: string | undefined;
  /** Folders of the runtime that no sandbox may see. */
  secret: readonly string[];
  /** Whose files are in a home; the runtime's unless said. */
  owner: User | undefined;
  /** Whether there is a container that has it. */
  inUse: (name: VolumeName) => Promise<boolean>;
}

/** Volumes as folders of the data directory, for machines without an engine. */
export class ProcessVolumes implements VolumeBackend {
  readonly #settings: ProcessVolumesSettings;
  readonly #contents = new VolumeContents((job) => this.#start(job), { packs: false });
  readonly #runs = new VolumeRuns();
  #cleared: Promise<void> | undefined;

  constructor(settings: ProcessVolumesSettings) {
    this.#settings = settings;
  }

  async provision(name: VolumeName): Promise<void> {
    await this.#clearHalves();
    const folder = this.#folder(name);
    const found = await folder.labels();
    if (found === undefined) {
      await mkdir(this.#settings.path, { recursive: true, mode: 0o700 });
      try {
        return await folder.prepare(this.#settings.owner, volumeLabels(name, this.#settings, new Date()));
      } catch (error) {
        throw new BerthError('VOLUME_CREATE_FAILED', `${name}: ${error}`, {}, error);
      }
    }
    if (!this.#isOurs(found)) throw new BerthError('VOLUME_CREATE_FAILED', takenBy(name, found));
  }

  async find(name: VolumeName): Promise<VolumeIncarnation | undefined> {
    const labels = await this.#folder(name).labels();
    if (labels === undefined || !this.#isOurs(labels)) return undefined;
    return (labels[LABEL.createdAt] ?? '') as VolumeIncarnation; // the cast: this is where they are made
  }

  async list(): Promise<VolumeName[]> {
    const names = await volumeNames(this.#settings.path);
    // A record that can't be read is nobody's, and left alone.
    const ours = await Promise.all(names.map((name) => this.find(name).catch(() => undefined)));
    return names.filter((_, at) => ours[at] !== undefined);
  }

  async delete(name: VolumeName, incarnation?: VolumeIncarnation): Promise<void> {
    await this.#clearHalves();
    const found = await this.find(name);
    if (found === undefined || found !== (incarnation ?? found)) return;
    if (await this.#settings.inUse(name))
      throw new BerthError('VOLUME_IN_USE', `a container has the volume ${name}`);
    await this.#runs.end(name);
    await this.#folder(name).remove();
  }

  archive(name: VolumeName, signal: AbortSignal): Promise<ArchiveStream> {
    return this.#contents.archive(name, signal);
  }

  restore(name: VolumeName, content: Readable, archive: ArchiveName, signal: AbortSignal): Promise<void> {
    return this.#contents.restore(name, content, archive, signal);
  }

  async close(): Promise<void> {
    await this.#runs.endAll();
  }

  async #start({ volume: name, script, args }: VolumeJob): Promise<VolumeRun | undefined> {
    if ((await this.find(name)) === undefined) return undefined;
    const { bwrapPath, secret } = this.#settings;
    // Whoever comes later is waited for by the lock.
    await this.#runs.end(name);
    const run = await startChild({ folder: this.#folder(name), script, args, bwrapPath, secret });
    this.#runs.add(name, run);
    return run;
  }

  #isOurs(labels: Readonly<Record<string, string>>): boolean {
    return ownRole(labels, this.#settings.installation) === 'workspace';
  }

  #folder(name: VolumeName): VolumeFolder {
    return new VolumeFolder(this.#settings.path, name);
  }

  /** Once, before anything else can be under way. */
  #clearHalves(): Promise<void> {
    this.#cleared ??= removeHalves(this.#settings.path).catch((error) => {
      this.#cleared = undefined; // to be tried again
      throw error;
    });
    return this.#cleared;
  }
}
