import { closeSync, readSync } from 'node:fs';
import type { Call } from '../agent.ts';
import { GatheredBody } from '../http/gathered-body.ts';
import { queryValues } from '../http/query.ts';
import { Problem } from '../problem.ts';
import { memberHeader, padding, TAR_END } from '../tar/write-tar.ts';
import { isMissing } from './file-problem.ts';
import { OpenDirectory, type OpenFile, openFile } from './open-inside.ts';
import { TimeSlice } from './time-slice.ts';
import { walk } from './walk.ts';
import { parseWorkspacePath } from './workspace-path.ts';

const CHUNK_BYTES = 64 * 1024;

/** Sends files and directories, or everything, as a tar archive. Links and devices are left out. */
export async function getTar({ agent, query, res }: Call): Promise<void> {
  const named = queryValues(query, 'paths').map(parseWorkspacePath);
  const starts = named.map((path) => ({ path, kind: kindOf(agent.root, path) }));
  res.writeHead(200, { 'content-type': 'application/x-tar' });

  const archive = new Archive(agent.root, new GatheredBody(res), new TimeSlice(res));
  for (const { path, kind } of starts) {
    if (kind === 'file') await archive.addFile(path, 'follow');
    else await archive.addTree(path);
  }
  if (named.length === 0) await archive.addTree('');
  await archive.end();
}

function kindOf(root: string, path: string): 'file' | 'directory' {
  try {
    new OpenDirectory(root, path).close();
    return 'directory';
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  closeSync(openFile(root, path, 'follow').fd);
  return 'file';
}

/** An archive on its way out. What can't be opened when its turn comes, or is gone by then, is left out. */
class Archive {
  readonly #root: string;
  readonly #body: GatheredBody;
  readonly #slice: TimeSlice;

  constructor(root: string, body: GatheredBody, slice: TimeSlice) {
    this.#root = root;
    this.#body = body;
    this.#slice = slice;
  }

  async addTree(start: string): Promise<void> {
    if (start !== '') await this.#addDirectory(start);
    for (const found of walk(this.#root, start)) {
      if (found.kind === 'directory') await this.#addDirectory(found.path);
      if (found.kind === 'file') await this.addFile(found.path, 'refuse');
    }
  }

  async addFile(path: string, links: 'follow' | 'refuse'): Promise<void> {
    const file = ifOpens(() => openFile(this.#root, path, links));
    if (!file) return;
    try {
      const { size, mode, mtimeMs } = file.stats;
      await this.#body.add(memberHeader({ path, type: 'file', size, mode, modifiedAt: mtimeMs / 1000 }));
      await this.#addContent(file);
    } finally {
      closeSync(file.fd);
    }
  }

  async end(): Promise<void> {
    await this.#body.add(TAR_END);
    await this.#body.end();
  }

  async #addDirectory(path: string): Promise<void> {
    const directory = ifOpens(() => new OpenDirectory(this.#root, path));
    if (!directory) return;
    const { mode, mtimeMs } = directory.stats();
    directory.close();
    await this.#body.add(
      memberHeader({ path, type: 'directory', size: 0, mode, modifiedAt: mtimeMs / 1000 }),
    );
    await this.#slice.rest();
  }

  /** As many bytes as the header has announced: a file that shrinks meanwhile is filled up with zeros. */
  async #addContent({ fd, stats }: OpenFile): Promise<void> {
    for (let left = stats.size; left > 0; ) {
      const chunk = Buffer.alloc(Math.min(left, CHUNK_BYTES));
      const read = readSync(fd, chunk);
      const used = read === 0 ? chunk : chunk.subarray(0, read);
      left -= used.length;
      await this.#body.add(used);
      await this.#slice.rest();
    }
    await this.#body.add(padding(stats.size));
  }
}

function ifOpens<T>(open: () => T): T | undefined {
  try {
    return open();
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}
