import { closeSync, constants, fstatSync, openSync, readlinkSync, realpathSync, type Stats } from 'node:fs';
import { Problem } from '../problem.ts';
import { descriptorPath, HAS_PROC } from '../proc.ts';
import { fileProblem } from './file-problem.ts';
import { showPath } from './workspace-path.ts';

const { O_DIRECTORY, O_NOCTTY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/**
 * Opens something below the workspace. Links are followed, and then what was opened, not its name, is
 * asked where it lies: user code runs beside the agent and may swap a name at any moment, but not that.
 */
function openInside(root: string, path: string, flags: number): number {
  const name = path === '' ? root : `${root}/${path}`;
  // O_NONBLOCK: opening a FIFO must not wait for its writer. O_NOCTTY: nor may a terminal become ours.
  const fd = openSync(name, flags | O_NONBLOCK | O_NOCTTY);
  const location = HAS_PROC ? readlinkSync(descriptorPath(fd)) : realpathSync(name);
  if (location === root || location.startsWith(`${root}/`)) return fd;
  closeSync(fd);
  throw new Problem('INVALID_PATH', `the path leads out of the workspace: ${showPath(path)}`);
}

/** A regular file that is open for reading. The caller closes it. */
export interface OpenFile {
  fd: number;
  stats: Stats;
}

/** Opens a regular file below the workspace, and nothing else. */
export function openFile(root: string, path: string, links: 'follow' | 'refuse'): OpenFile {
  try {
    const fd = openInside(root, path, links === 'follow' ? O_RDONLY : O_RDONLY | O_NOFOLLOW);
    const stats = fstatSync(fd);
    if (stats.isFile()) return { fd, stats };
    closeSync(fd);
  } catch (error) {
    throw fileProblem(error, path);
  }
  throw new Problem('INVALID_PATH', `the path is not a regular file: ${showPath(path)}`);
}

/** A directory that is open; what it holds is named through it, wherever it is moved meanwhile. */
export class OpenDirectory {
  readonly #fd: number;
  readonly #path: string;

  /** Opens a directory below the workspace, or the workspace itself for ''. */
  constructor(root: string, path: string, links: 'follow' | 'refuse' = 'follow') {
    const flags = O_RDONLY | O_DIRECTORY;
    try {
      this.#fd = openInside(root, path, links === 'follow' ? flags : flags | O_NOFOLLOW);
      this.#path = HAS_PROC ? descriptorPath(this.#fd) : realpathSync(`${root}/${path}`);
    } catch (error) {
      throw fileProblem(error, path);
    }
  }

  /** Names the directory itself to the system. */
  get here(): string {
    return `${this.#path}/`;
  }

  /** Names an entry of the directory to the system. */
  at(name: string): string {
    return `${this.#path}/${name}`;
  }

  stats(): Stats {
    return fstatSync(this.#fd);
  }

  close(): void {
    closeSync(this.#fd);
  }
}
