import { createHash } from 'node:crypto';
import { chmod, chown, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type ContainerId, parseAnyContainerId } from '../../contracts/ids.ts';
import { removeTree } from '../remove-tree.ts';
import type { User } from '../socket-folder.ts';
import type { ProcessIdentity } from './process-table.ts';

const RecordFile = z.object({
  labels: z.record(z.string(), z.string()),
  /** Runs under bwrap. */
  isolated: z.boolean(),
  /** Runs a program of its image, and has this volume. */
  app: z.object({ volume: z.string().optional() }).optional(),
  process: z.object({ pid: z.number(), started: z.string() }).optional(),
  exitCode: z.number().optional(),
});

type RecordFile = z.infer<typeof RecordFile>;

/** What is known of a container after a restart of the runtime. */
export interface ContainerRecord extends RecordFile {
  id: ContainerId;
  /** In the environment of its processes: of all without bwrap, else of those that start the agent. */
  marker: string;
}

/** What is half made or half removed has one of these before its name, and no meaning after a crash. */
const HALF_MADE = '.new-';
const HALF_REMOVED = '.gone-';
export const CONTAINER_VARIABLE = 'BERTH_CONTAINER';

/** The folder of one container: its files, its log and its record. A folder under its own name is whole. */
export class ContainerFolder {
  readonly id: ContainerId;
  readonly path: string;
  readonly workspace: string;
  readonly home: string;
  readonly tmp: string;
  readonly log: string;
  /** Its name among all containers of this machine. */
  readonly mark: string;
  readonly #parent: string;

  constructor(parent: string, id: ContainerId) {
    this.#parent = parent;
    this.id = id;
    this.path = join(parent, id);
    this.workspace = join(this.path, 'workspace');
    this.home = join(this.path, 'home');
    this.tmp = join(this.path, 'tmp');
    this.log = join(this.path, 'log');
    this.mark = `${id}/${createHash('sha256').update(this.path).digest('hex').slice(0, 16)}`;
  }

  /** Makes it anew with its record, all at once. */
  async prepare(owner: User | undefined, record: RecordFile): Promise<void> {
    await this.remove();
    const made = join(this.#parent, `${HALF_MADE}${this.id}`);
    await removeTree(made);
    await mkdir(made, { recursive: true, mode: 0o700 });
    for (const folder of ['workspace', 'home', 'tmp']) {
      const path = join(made, folder);
      await mkdir(path, { mode: 0o700 });
      await chmod(path, 0o700);
      if (owner !== undefined) await chown(path, owner.uid, owner.gid);
    }
    await writeFile(join(made, 'meta.json'), JSON.stringify(record));
    await rename(made, this.path);
  }

  marker({ isolated, app }: Pick<RecordFile, 'isolated' | 'app'>): string {
    // The id of an app is a name that people choose: another runtime on this machine may have the same.
    if (app !== undefined) return `${CONTAINER_VARIABLE}=${this.mark}`;
    return isolated ? `${CONTAINER_VARIABLE}=${this.id}` : `HOME=${this.home}`;
  }

  /** Undefined: there is no such container. */
  async read(): Promise<ContainerRecord | undefined> {
    try {
      const record = RecordFile.parse(JSON.parse(await readFile(join(this.path, 'meta.json'), 'utf8')));
      return { ...record, id: this.id, marker: this.marker(record) };
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  }

  /** Records how it ended, if the record is still that of the same process. */
  async recordExit(ended: ProcessIdentity, exitCode: number): Promise<void> {
    const record = await this.read();
    if (record?.process?.pid === ended.pid && record.process.started === ended.started) {
      await this.write({ ...record, exitCode });
    }
  }

  /** A folder that is gone stays so. */
  async write({ labels, isolated, app, process, exitCode }: RecordFile): Promise<void> {
    const next = join(this.path, 'meta.json.new');
    try {
      await writeFile(next, JSON.stringify({ labels, isolated, app, process, exitCode }));
      await rename(next, join(this.path, 'meta.json'));
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
  }

  /** Nothing of the container may run any more. */
  async remove(): Promise<void> {
    const going = join(this.#parent, `${HALF_REMOVED}${this.id}`);
    await removeTree(going);
    try {
      await rename(this.path, going);
    } catch (error) {
      if (isAbsent(error)) return;
      throw error;
    }
    await removeTree(going);
  }
}

export async function containerIds(parent: string): Promise<ContainerId[]> {
  return (await namesIn(parent)).flatMap((name) => parseAnyContainerId(name) ?? []);
}

/** Removes what a crash left half made or half removed. Nothing may be under way. */
export async function removeHalves(parent: string): Promise<void> {
  const halves = (await namesIn(parent)).filter(
    (name) => name.startsWith(HALF_MADE) || name.startsWith(HALF_REMOVED),
  );
  for (const name of halves) await removeTree(join(parent, name));
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

function isAbsent(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
