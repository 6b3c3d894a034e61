import type { Readable } from 'node:stream';
import { SANDBOX_UID } from '../../contracts/container-limits.ts';
import { BerthError } from '../../contracts/errors.ts';
import { parseVolumeName, type VolumeName } from '../../contracts/ids.ts';
import { LABEL } from '../../contracts/labels.ts';
import { ownRole, takenBy, timelessVolumeLabels, volumeLabels } from '../ownership.ts';
import {
  type ArchiveName,
  type ArchiveStream,
  type VolumeBackend,
  type VolumeIncarnation,
  volumeNotFound,
} from '../volume-backend.ts';
import { VolumeContents } from '../volume-contents.ts';
import { runFailure, type VolumeJob, type VolumeRun } from '../volume-run.ts';
import { OWN } from '../volume-scripts.ts';
import type { EngineClient } from './engine-client.ts';
import { callFailure, isRefusal } from './engine-errors.ts';
import { STRAY } from './helper-options.ts';
import { VolumeCalls } from './volume-calls.ts';
import { type HelperSettings, VolumeHelper } from './volume-helper.ts';

type Labels = Readonly<Record<string, string>>;

/** Named volumes of the engine. Their files are touched by helpers only: containers that run to their end. */
export class DockerVolumes implements VolumeBackend {
  readonly #settings: HelperSettings;
  readonly #calls: VolumeCalls;
  readonly #helper: VolumeHelper;
  readonly #contents = new VolumeContents((job) => this.#start(job), { packs: true });

  constructor(engine: EngineClient, settings: HelperSettings) {
    this.#settings = settings;
    this.#calls = new VolumeCalls(engine.host);
    this.#helper = new VolumeHelper(engine, this.#calls, settings);
  }

  /** The engine makes volumes that are root's. A crash before it is given to its user is mended by the next call. */
  async provision(name: VolumeName): Promise<void> {
    let labels = await this.#create(name);
    if (this.#isStray(labels)) {
      await this.#remove(name);
      labels = await this.#create(name);
    }
    if (!this.#isOurs(labels)) throw new BerthError('VOLUME_CREATE_FAILED', takenBy(name, labels));
    const run = await this.#helper.start({
      volume: name,
      script: OWN,
      args: [`${SANDBOX_UID}:${SANDBOX_UID}`],
      failure: 'VOLUME_CREATE_FAILED',
      check: () => this.#checkMounted(name),
    });
    try {
      run.stdout.resume();
      const end = await run.ended;
      if (end.exitCode !== 0) throw runFailure(`giving ${name} to its user`, end, 'VOLUME_CREATE_FAILED');
    } finally {
      await run.remove();
    }
  }

  /** Its name and when it was made: the engine gives volumes no id of their own. */
  async find(name: VolumeName): Promise<VolumeIncarnation | undefined> {
    const found = await this.#asking(name, () => this.#calls.inspect(name));
    if (found === undefined || !this.#isOurs(found.Labels)) return undefined;
    return (found.Labels[LABEL.createdAt] ?? '') as VolumeIncarnation; // the cast: this is where they are made
  }

  async list(): Promise<VolumeName[]> {
    const labels = { [LABEL.installation]: this.#settings.installation, [LABEL.role]: 'workspace' };
    const found = await this.#asking('a list of volumes', () => this.#calls.list(labels));
    return found.flatMap(({ Name }) => parseVolumeName(Name) ?? []);
  }

  async delete(name: VolumeName, incarnation?: VolumeIncarnation): Promise<void> {
    if (incarnation !== undefined) return this.#removeThe(name, incarnation);
    const found = await this.#asking(name, () => this.#calls.inspect(name));
    if (found === undefined || !(this.#isOurs(found.Labels) || this.#isStray(found.Labels))) return;
    await this.#remove(name);
  }

  archive(name: VolumeName, signal: AbortSignal): Promise<ArchiveStream> {
    return this.#contents.archive(name, signal);
  }

  restore(name: VolumeName, content: Readable, archive: ArchiveName, signal: AbortSignal): Promise<void> {
    return this.#contents.restore(name, content, archive, signal);
  }

  close(): void {
    this.#calls.close();
  }

  async #start(job: VolumeJob): Promise<VolumeRun | undefined> {
    if (!(await this.#isThere(job.volume))) return undefined;
    const check = () => this.#checkMounted(job.volume);
    return this.#helper.start({ ...job, failure: 'ARCHIVE_FAILED', check });
  }

  /**
   * A container that names a volume which is gone gets a new one, and an empty home would be archived as if it were the
   * user's. Once the helper is made the engine lets nobody remove what it holds.
   */
  async #checkMounted(name: VolumeName): Promise<void> {
    if (!(await this.#isThere(name))) throw volumeNotFound(name);
  }

  async #create(name: VolumeName): Promise<Labels> {
    try {
      return (await this.#calls.create(name, volumeLabels(name, this.#settings, new Date()))).Labels;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      throw new BerthError('VOLUME_CREATE_FAILED', `the engine said: ${error.message}`, {}, error);
    }
  }

  async #remove(name: VolumeName): Promise<void> {
    await this.#helper.end(name);
    try {
      await this.#calls.remove(name);
    } catch (error) {
      if (isRefusal(error, 404)) return;
      if (isRefusal(error, 409)) throw new BerthError('VOLUME_IN_USE', error.message, {}, error);
      throw callFailure(error, name);
    }
  }

  /**
   * The engine removes by name whatever has it then. Only when it is to remove what nobody uses does it ask for labels,
   * and leaves out, without a word, what is used.
   */
  async #removeThe(name: VolumeName, incarnation: VolumeIncarnation): Promise<void> {
    if ((await this.find(name)) !== incarnation) return;
    await this.#helper.end(name);
    // It may have been made by another version.
    const { [LABEL.version]: _, ...labels } = timelessVolumeLabels(name, this.#settings);
    await this.#asking(name, () => this.#calls.removeUnused({ ...labels, [LABEL.createdAt]: incarnation }));
    if ((await this.find(name)) === incarnation)
      throw new BerthError('VOLUME_IN_USE', `a container has the volume ${name}`);
  }

  /** As one of ours. */
  async #isThere(name: VolumeName): Promise<boolean> {
    return (await this.find(name)) !== undefined;
  }

  #isOurs(labels: Labels): boolean {
    return ownRole(labels, this.#settings.installation) === 'workspace';
  }

  /** One that a helper of ours named after it was gone: nobody has put a file into it. */
  #isStray(labels: Labels): boolean {
    return labels[LABEL.installation] === this.#settings.installation && labels[LABEL.part] === STRAY;
  }

  async #asking<T>(about: string, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      throw callFailure(error, about);
    }
  }
}
