import { randomBytes } from 'node:crypto';
import { close, constants, fchmod, futimes, lstatSync, openSync, renameSync, rmSync, write } from 'node:fs';
import { promisify } from 'node:util';
import { fileProblem } from './file-problem.ts';
import { makeDirectories } from './make-directories.ts';
import type { OpenDirectory } from './open-inside.ts';
import { splitPath, type WorkspacePath } from './workspace-path.ts';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
const NEW_FILE_MODE = 0o644;

const writeAsync = promisify(write);
const fchmodAsync = promisify(fchmod);
const futimesAsync = promisify(futimes);
const closeAsync = promisify(close);

interface WriteOptions {
  /** Permission bits; without them those of the file that is replaced, or 0644. */
  mode?: number | undefined;
  /** Last change, in seconds since 1970. */
  modifiedAt?: number | undefined;
}

/**
 * Writes a file whole or not at all: beside its place, then moved there. What was at the path before,
 * a link too, is replaced and never followed. Returns the number of bytes.
 */
export async function writeInside(
  root: string,
  path: WorkspacePath,
  content: AsyncIterable<Buffer>,
  options: WriteOptions = {},
): Promise<number> {
  const { parent, name } = splitPath(path);
  const directory = makeDirectories(root, parent);
  try {
    const mode = options.mode ?? modeOf(directory, name) ?? NEW_FILE_MODE;
    return await writeAt(directory, name, content, { ...options, mode });
  } catch (error) {
    throw fileProblem(error, path);
  } finally {
    directory.close();
  }
}

function modeOf(directory: OpenDirectory, name: string): number | undefined {
  const stats = lstatSync(directory.at(name), { throwIfNoEntry: false });
  return stats?.isFile() ? stats.mode & 0o777 : undefined;
}

async function writeAt(
  directory: OpenDirectory,
  name: string,
  content: AsyncIterable<Buffer>,
  { mode, modifiedAt }: WriteOptions & { mode: number },
): Promise<number> {
  const temporary = directory.at(`.berth-${randomBytes(8).toString('hex')}.tmp`);
  const fd = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  let size = 0;
  try {
    try {
      for await (const chunk of content) {
        await writeAll(fd, chunk);
        size += chunk.length;
      }
      await fchmodAsync(fd, mode);
      if (modifiedAt !== undefined) await futimesAsync(fd, modifiedAt, modifiedAt);
    } finally {
      await closeAsync(fd);
    }
    renameSync(temporary, directory.at(name));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  return size;
}

async function writeAll(fd: number, chunk: Buffer): Promise<void> {
  for (let at = 0; at < chunk.length; ) {
    const { bytesWritten } = await writeAsync(fd, chunk, at);
    at += bytesWritten;
  }
}
