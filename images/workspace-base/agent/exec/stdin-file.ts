import { randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errnoOf, Problem } from '../problem.ts';

const { O_CREAT, O_EXCL, O_RDONLY, O_WRONLY } = constants;

/**
 * Opens a nameless file with this content. A command that opens `/dev/stdin` by name finds it there,
 * as it would not in a pipe whose writer is done; and nobody has to wait for one that doesn't read.
 */
export function openStdin(content: string): number {
  const name = join(tmpdir(), `.berth-stdin-${randomBytes(8).toString('hex')}`);
  try {
    const writer = openSync(name, O_WRONLY | O_CREAT | O_EXCL, 0o600);
    try {
      writeFileSync(writer, content);
      return openSync(name, O_RDONLY);
    } finally {
      closeSync(writer);
      unlinkSync(name);
    }
  } catch (error) {
    if (errnoOf(error) === 'ENOSPC' || errnoOf(error) === 'EDQUOT') {
      throw new Problem('DISK_FULL', 'there is no room for stdin in the temporary folder');
    }
    throw error;
  }
}
