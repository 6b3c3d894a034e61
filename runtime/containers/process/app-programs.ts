import { lstat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { BerthError } from '../../contracts/errors.ts';
import type { VolumeName } from '../../contracts/ids.ts';
import type { ContainerSpec } from '../container-backend.ts';
import { findOnPath } from '../find-on-path.ts';
import { volumeNotFound } from '../volume-backend.ts';
import type { AppPlace, AppProgram, AppVolume } from './app-command.ts';
import { SYSTEM_PATH } from './sandbox-command.ts';
import { VolumeFolder } from './volume-folder.ts';

export interface AppsOptions {
  /** The program that leads to the app's port (images/workspace-base/port). */
  portEntry: string;
  /** By the name of their image, without its tag. */
  programs: Readonly<Record<string, AppProgram>>;
}

/** The images whose programs can be run without an engine, and what it takes to run one. */
export class AppPrograms {
  readonly #portEntry: string | undefined;
  readonly #programs: ReadonlyMap<string, AppProgram>;
  readonly #volumes: string;

  constructor(apps: AppsOptions | undefined, dataDir: string) {
    this.#portEntry = apps?.portEntry;
    this.#programs = new Map(Object.entries(apps?.programs ?? {}).filter(([, program]) => canRun(program)));
    this.#volumes = join(resolve(dataDir), 'volumes');
  }

  get names(): string[] {
    return [...this.#programs.keys()];
  }

  has(image: string): boolean {
    return this.#find(image) !== undefined;
  }

  /** Throws `VOLUME_NOT_FOUND`. */
  async settingsFor({
    app,
    image,
  }: ContainerSpec): Promise<Pick<AppPlace, 'app' | 'program' | 'portEntry' | 'volume'> | undefined> {
    if (app === undefined) return undefined;
    const program = this.#find(image);
    const portEntry = this.#portEntry;
    if (program === undefined || portEntry === undefined)
      throw new BerthError('CONTAINER_CREATE_FAILED', `${image} has no program that listens on a port`);
    return { app, program, portEntry, volume: app.volume && (await this.#filesOf(app.volume.name)) };
  }

  async #filesOf(volume: VolumeName): Promise<AppVolume> {
    const { home, compiled } = new VolumeFolder(this.#volumes, volume);
    if (!(await isFolder(home))) throw volumeNotFound(volume);
    return { home, compiled: (await isFolder(compiled)) ? compiled : undefined };
  }

  #find(image: string): AppProgram | undefined {
    return this.#programs.get(imageName(image) ?? '');
  }
}

/** Not without what it is run by. */
function canRun({ runsBy }: AppProgram): boolean {
  return runsBy === undefined || findOnPath(runsBy, SYSTEM_PATH) !== undefined;
}

async function isFolder(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined); // it can't be had, whatever the reason
  return found?.isDirectory() === true;
}

/** An image's name without its tag; undefined for one with a registry or a digest, which is none of ours. */
export function imageName(image: string): string | undefined {
  return /^([a-z0-9-]+)(:[\w.-]+)?$/.exec(image)?.[1];
}
