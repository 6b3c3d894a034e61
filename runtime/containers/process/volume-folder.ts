import { chmod, chown, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { parseVolumeName, type VolumeName } from '../../contracts/ids.ts';
import { removeTree } from '../remove-tree.ts';
import type { User } from '../socket-folder.ts';

const RecordFile = z.object({ labels: z.record(z.string(), z.string()) });
type Labels = z.infer<typeof RecordFile>['labels'];

/** What is half made or half removed has one of these before its name, and no meaning after a crash. */
const HALF_MADE = '.new-';
const HALF_REMOVED = '.gone-';

/**
 * The folder of one volume: its files in `home`, and whose it is. A folder under its own name is whole. `compiled` is
 * for what Node makes of programs that run with it: of this volume alone, since whoever writes there decides what the
 * next start runs, and no part of its files.
 */
export class VolumeFolder {
  readonly path: string;
  readonly home: string;
  readonly compiled: string;
  /** Held by whatever works on the files. */
  readonly lock: string;
  readonly #parent: string;
  readonly #name: VolumeName;

  constructor(parent: string, name: VolumeName) {
    this.#parent = parent;
    this.#name = name;
    this.path = join(parent, name);
    this.home = join(this.path, 'home');
    this.compiled = join(this.path, 'compiled');
    this.lock = join(this.path, 'lock');
  }

  /** Makes it, all at once, where there is none. */
  async prepare(owner: User | undefined, labels: Labels): Promise<void> {
    const made = join(this.#parent, `${HALF_MADE}${this.#name}`);
    await removeTree(made);
    await mkdir(made, { recursive: true, mode: 0o700 });
    for (const name of ['home', 'compiled']) {
      const folder = join(made, name);
      await mkdir(folder);
      await chmod(folder, 0o755);
      if (owner !== undefined) await chown(folder, owner.uid, owner.gid);
    }
    await writeFile(join(made, 'meta.json'), JSON.stringify({ labels } satisfies z.infer<typeof RecordFile>));
    await rename(made, this.path);
  }

  /** Undefined: there is no such volume. */
  async labels(): Promise<Labels | undefined> {
    try {
      return RecordFile.parse(JSON.parse(await readFile(join(this.path, 'meta.json'), 'utf8'))).labels;
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  }

  async remove(): Promise<void> {
    const going = join(this.#parent, `${HALF_REMOVED}${this.#name}`);
    await removeTree(going);
    try {
      await rename(this.path, going);
    } catch (error) {
      if (!isAbsent(error)) throw error;
      return;
    }
    await removeTree(going);
  }
}

export async function volumeNames(parent: string): Promise<VolumeName[]> {
  try {
    return (await readdir(parent)).flatMap((name) => parseVolumeName(name) ?? []);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

function isAbsent(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT'; // the cast: whatever else it is has no such code
}
