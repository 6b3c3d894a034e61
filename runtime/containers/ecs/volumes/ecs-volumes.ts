import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { BerthError } from '../../../contracts/errors.ts';
import {
  type ContainerId,
  parseVolumeName,
  type VolumeName,
  workspaceContainerId,
  workspaceOfVolume,
} from '../../../contracts/ids.ts';
import { type Installation, ownRole, takenBy, timelessVolumeLabels } from '../../ownership.ts';
import type { ArchiveName, ArchiveStream, VolumeBackend, VolumeIncarnation } from '../../volume-backend.ts';
import { VolumeContents } from '../../volume-contents.ts';
import { runFailure, type VolumeJob, type VolumeRun } from '../../volume-run.ts';
import { EMPTY_ALL, READABLE } from '../../volume-scripts.ts';
import type { WorkspaceDefinitions } from '../workspace-definitions.ts';
import type { AccessPoint, EfsApi } from './efs-api.ts';
import type { VolumeTasks } from './volume-tasks.ts';

interface Parts {
  efs: EfsApi;
  tasks: VolumeTasks;
  definitions: WorkspaceDefinitions;
  owner: Installation;
  /** Whether a task of this container is to run. */
  isLive: (id: ContainerId) => Promise<boolean>;
}

/** How long an access point may take to be made, or to go. */
const CHANGE_SECONDS = 60;
const LOOK_AGAIN_MS = 500;

/**
 * Volumes as folders of one file system, each behind an access point: what is listed, and the last that goes. Their files
 * are touched by tasks that run to their end, as the one user that all of them belong to.
 */
export class EcsVolumes implements VolumeBackend {
  readonly #parts: Parts;
  /** What its own user may not read is made readable first: no other may, and it would be left out. */
  readonly #contents = new VolumeContents((job, signal) => this.#start(job, signal), {
    prepare: READABLE,
    packs: true,
  });
  /** Ids of access points; each is asked for again before it counts. */
  readonly #known = new Map<VolumeName, string>();
  #cleared = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async provision(name: VolumeName): Promise<void> {
    const { efs, owner } = this.#parts;
    const path = `/berth/${owner.installation}/${name}`;
    const late = performance.now() + CHANGE_SECONDS * 1000;
    for (;;) {
      const id = await efs.create(name, path, timelessVolumeLabels(name, owner));
      const made = await efs.find(id);
      if (made?.state === 'available') {
        if (!this.#isOurs(made)) throw new BerthError('VOLUME_CREATE_FAILED', takenBy(name, made.tags));
        this.#known.set(name, id);
        return;
      }
      if (performance.now() > late) {
        const detail = `the access point ${id} of ${name} is ${made?.state ?? 'gone'} for ${CHANGE_SECONDS} s`;
        throw new BerthError('BACKEND_UNAVAILABLE', detail);
      }
      await sleep(LOOK_AGAIN_MS);
    }
  }

  /** The id of its access point. */
  async find(name: VolumeName): Promise<VolumeIncarnation | undefined> {
    const known = this.#known.get(name);
    const found = known === undefined ? undefined : await this.#parts.efs.find(known);
    if (found !== undefined && this.#isThere(found, name)) return incarnationOf(found);
    this.#known.delete(name);
    const listed = (await this.#list()).find((each) => this.#isThere(each, name));
    return listed && incarnationOf(listed);
  }

  async list(): Promise<VolumeName[]> {
    const found = await this.#list();
    await this.#clearDefinitions(found);
    return found.flatMap((each) => {
      const name = parseVolumeName(each.name);
      return name !== undefined && this.#isThere(each, name) ? [name] : [];
    });
  }

  /** The access point is the last to go: until then whoever comes next finds what a crash has left. */
  async delete(name: VolumeName, incarnation?: VolumeIncarnation): Promise<void> {
    const { efs, tasks } = this.#parts;
    const id = await this.find(name);
    if (id === undefined || id !== (incarnation ?? id)) return;
    if (await this.#isInUse(name))
      throw new BerthError('VOLUME_IN_USE', `a container has the volume ${name}`);
    const job = { volume: name, accessPoint: id, script: EMPTY_ALL, args: [] };
    const run = await tasks.start(job, new AbortController().signal);
    run.stdout.resume();
    const end = await run.ended;
    if (end.exitCode !== 0) throw runFailure(`emptying ${name}`, end, 'ARCHIVE_FAILED');
    await this.#parts.definitions.remove(...(await this.#familiesOf(name)));
    await efs.delete(id);
    this.#known.delete(name);
  }

  archive(name: VolumeName, signal: AbortSignal): Promise<ArchiveStream> {
    return this.#contents.archive(name, signal);
  }

  restore(name: VolumeName, content: Readable, archive: ArchiveName, signal: AbortSignal): Promise<void> {
    return this.#contents.restore(name, content, archive, signal);
  }

  async close(): Promise<void> {
    await this.#parts.tasks.close();
    this.#parts.efs.close();
  }

  async #start(job: VolumeJob, signal: AbortSignal): Promise<VolumeRun | undefined> {
    const accessPoint = await this.find(job.volume);
    if (accessPoint === undefined) return undefined;
    return this.#parts.tasks.start({ ...job, accessPoint }, signal);
  }

  async #list(): Promise<AccessPoint[]> {
    const found = await this.#parts.efs.list();
    for (const each of found) {
      const name = parseVolumeName(each.name);
      if (name !== undefined && this.#isThere(each, name)) this.#known.set(name, each.id);
    }
    return found;
  }

  async #isInUse(name: VolumeName): Promise<boolean> {
    const workspace = workspaceOfVolume(name);
    return workspace !== undefined && this.#parts.isLive(workspaceContainerId(workspace));
  }

  /** Definitions of volumes that are gone, left by a crash or a pause between two steps: looked for once. */
  async #clearDefinitions(found: readonly AccessPoint[]): Promise<void> {
    if (this.#cleared) return;
    this.#cleared = true;
    const { definitions } = this.#parts;
    try {
      const left = await definitions.families();
      for (const { name } of found) for (const family of await this.#familiesOf(name)) left.delete(family);
      await definitions.remove(...left);
    } catch (error) {
      this.#cleared = false; // at the next list
      throw error;
    }
  }

  async #familiesOf(text: string): Promise<string[]> {
    const name = parseVolumeName(text);
    const workspace = name && workspaceOfVolume(name);
    if (name === undefined || workspace === undefined) return [];
    const { definitions } = this.#parts;
    return [
      await definitions.helperFamily(name),
      await definitions.appFamily(workspaceContainerId(workspace)),
    ];
  }

  #isThere(point: AccessPoint, name: VolumeName): boolean {
    return point.name === name && point.state !== 'leaving' && this.#isOurs(point);
  }

  #isOurs({ tags }: AccessPoint): boolean {
    return ownRole(tags, this.#parts.owner.installation) === 'workspace';
  }
}

function incarnationOf({ id }: AccessPoint): VolumeIncarnation {
  return id as VolumeIncarnation; // the cast: this is where they are made
}
