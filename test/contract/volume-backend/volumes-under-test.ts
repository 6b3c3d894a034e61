import { createHash, randomBytes } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest';
import type { DockerBackendOptions } from '../../../runtime/containers/docker/docker-backend.ts';
import type { EcsBackendOptions } from '../../../runtime/containers/ecs/ecs-backend.ts';
import type { ProcessBackendOptions } from '../../../runtime/containers/process/process-backend.ts';
import type { ArchiveName, VolumeBackend } from '../../../runtime/containers/volume-backend.ts';
import { homeVolume, parseWorkspaceId, type VolumeName } from '../../../runtime/contracts/ids.ts';
import type { RunInHome } from '../../support/home-tree.ts';
import { must } from '../../support/must.ts';

export interface VolumesUnderTest {
  /** One on the same machine, with all volumes in common with every other that is opened. */
  open(installation: string): VolumeBackend;
  /** Who a home belongs to, `uid:gid`. */
  owner: string;
  inside(name: VolumeName): RunInHome;
  /** What homes can hold, where that is not everything. */
  tree?: { readable: boolean };
  /** Makes a volume of ours behind the backend's back, under a name that may be none. */
  plant(name: string, installation: string): Promise<void>;
  isPlanted(name: string): Promise<boolean>;
  uproot(name: string): Promise<void>;
  /** One with room for 1 MiB. */
  provisionSmall(name: VolumeName, installation: string): Promise<void>;
  /** Gives it to a container; resolves with what ends that. */
  occupy(name: VolumeName): Promise<() => Promise<void>>;
  /** How many are at work on it, or were and are still to be removed. */
  working(name: VolumeName): Promise<number>;
  /** How many of those run. */
  running(name: VolumeName): Promise<number>;
  /** What a runtime in a process of its own opens the same with. */
  opening: Opening;
  /** Kills what works on it. */
  kill(name: VolumeName): Promise<void>;
  /** All of it goes with `close`: what a test has made need not be removed after it. */
  goesAtOnce?: boolean;
  /** Takes away what would keep volumes from being removed. */
  beforeRemoval?(): Promise<void>;
  close(): Promise<void>;
}

export type Opening =
  | { kind: 'docker'; options: DockerBackendOptions }
  | { kind: 'ecs'; options: Omit<EcsBackendOptions, 'tasks'> }
  | { kind: 'process'; options: ProcessBackendOptions };

export const OURS = 'volumes-ours';
export const OTHERS = 'volumes-others';

export interface WholeArchive {
  bytes: Buffer;
  name: ArchiveName;
  entries: number;
}

/** The volumes that a suite runs on, and what its tests have in common. What they make is removed after each. */
export class VolumeHarness {
  readonly #made: VolumeName[] = [];
  #under: VolumesUnderTest | undefined;
  #volumes: VolumeBackend | undefined;

  constructor(prepare: () => VolumesUnderTest | Promise<VolumesUnderTest>) {
    beforeAll(async () => {
      this.#under = await prepare();
      this.#volumes = this.#under.open(OURS);
    });
    afterEach(async () => {
      await this.under.beforeRemoval?.();
      const made = this.#made.splice(0);
      if (this.under.goesAtOnce) return;
      for (const name of made) {
        await this.volumes.delete(name);
        await this.under.open(OTHERS).delete(name);
      }
    });
    afterAll(() => this.#under?.close());
  }

  get under(): VolumesUnderTest {
    return must(this.#under);
  }

  get volumes(): VolumeBackend {
    return must(this.#volumes);
  }

  /** A name that nobody has. */
  name(): VolumeName {
    const name = homeVolume(must(parseWorkspaceId(`t-${randomBytes(6).toString('hex')}`)));
    this.#made.push(name);
    return name;
  }

  async provisioned(): Promise<VolumeName> {
    const name = this.name();
    await this.volumes.provision(name);
    return name;
  }

  /** With one file of random bytes, which don't get smaller. */
  async filled(megabytes: number): Promise<VolumeName> {
    const name = await this.provisioned();
    const script = `import * as fs from 'node:fs';
      import { randomBytes } from 'node:crypto';
      const [, home, size] = process.argv;
      const open = fs.openSync(home + '/filler', 'w');
      for (let at = 0; at < Number(size); at += 1) fs.writeSync(open, randomBytes(1024 * 1024));`;
    await this.under.inside(name)(script, String(megabytes));
    return name;
  }

  async archived(name: VolumeName): Promise<WholeArchive> {
    const { content, entries } = await this.volumes.archive(name, signal());
    return { ...archiveOf(await buffer(content)), entries: entries() };
  }

  async restore(name: VolumeName, archive: WholeArchive | Omit<WholeArchive, 'entries'>): Promise<void> {
    await this.volumes.restore(name, Readable.from([archive.bytes]), archive.name, signal());
  }

  /** A restore that has got half of its content, and waits for the rest. */
  async restoringHalf(name: VolumeName, archive: WholeArchive, stop = signal(), by = this.volumes) {
    const content = new PassThrough();
    const restored = by.restore(name, content, archive.name, stop).then(
      () => 'restored',
      (error: unknown) => error,
    );
    content.on('error', () => {});
    content.write(archive.bytes.subarray(0, archive.bytes.length / 2));
    await vi.waitFor(async () => expect(await this.names(name)).not.toEqual([]), { timeout: 20_000 });
    return { content, restored };
  }

  write(name: VolumeName, file: string, text: string): Promise<string> {
    const script = "import * as fs from 'node:fs'; const [, home, file, text] = process.argv;";
    return this.under.inside(name)(`${script} fs.writeFileSync(home + '/' + file, text);`, file, text);
  }

  async names(name: VolumeName): Promise<string[]> {
    const script =
      "import * as fs from 'node:fs'; console.log(JSON.stringify(fs.readdirSync(process.argv[1])));";
    return JSON.parse(await this.under.inside(name)(script));
  }

  async untilNobodyWorks(name: VolumeName): Promise<void> {
    await vi.waitFor(async () => expect(await this.under.working(name)).toBe(0), { timeout: 20_000 });
  }
}

export function archiveOf(bytes: Buffer): { bytes: Buffer; name: ArchiveName } {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { bytes, name: { key: `archives/some/${sha256.slice(0, 8)}/home.tar.zst`, sha256 } };
}

/** Never aborted. */
export function signal(): AbortSignal {
  return new AbortController().signal;
}
