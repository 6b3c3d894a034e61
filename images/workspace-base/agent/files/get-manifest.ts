import { closeSync } from 'node:fs';
import type { FileEntry, FileManifest } from '../../../../runtime/contracts/agent-protocol.ts';
import type { Call } from '../agent.ts';
import { GatheredBody } from '../http/gathered-body.ts';
import { errnoOf, Problem } from '../problem.ts';
import { excludedNames } from './excluded-names.ts';
import { isMissing } from './file-problem.ts';
import { hashFile } from './hash-file.ts';
import { openFile } from './open-inside.ts';
import { TimeSlice } from './time-slice.ts';
import { walk } from './walk.ts';

/** Both below what the runtime accepts of a manifest. */
const MAX_ENTRIES = 50_000;
const MAX_BYTES = 15 * 1024 * 1024;

/** The end of the year 9999: later ones are written in another form. */
const MAX_DATE_MS = 253_402_300_799_999;

/** Sends the regular files of the workspace, with their hashes, as they are found. */
export async function getManifest(call: Call): Promise<void> {
  const { agent, res } = call;
  const excluded = excludedNames(call);
  res.writeHead(200, { 'content-type': 'application/json' });

  const body = new GatheredBody(res);
  const slice = new TimeSlice(res);
  const skipped: FileManifest['skipped'] = [];
  let [files, bytes, truncated] = [0, 0, false];
  await body.add('{"files":[');
  for (const found of walk(agent.root, '', excluded)) {
    if (found.kind === 'directory') continue;
    const entry = found.kind === 'file' ? await describe(agent.root, found.path, slice) : found;
    if (entry === undefined) continue;
    const line = JSON.stringify(entry);
    bytes += Buffer.byteLength(line) + 1;
    truncated = files + skipped.length >= MAX_ENTRIES || bytes > MAX_BYTES;
    if (truncated) break;
    if ('reason' in entry) {
      skipped.push({ path: entry.path, reason: entry.reason });
    } else {
      await body.add(files === 0 ? line : `,${line}`);
      files += 1;
    }
  }
  await body.add(`],"skipped":${JSON.stringify(skipped)},"truncated":${truncated}}`);
  await body.end();
}

/** Any program can give a file any time. */
function instant(milliseconds: number): string {
  return new Date(Math.min(Math.max(milliseconds, 0), MAX_DATE_MS)).toISOString();
}

/** A file as the manifest tells it, why it can't, or undefined for one that is gone. */
async function describe(
  root: string,
  path: string,
  slice: TimeSlice,
): Promise<FileEntry | { path: string; reason: string } | undefined> {
  try {
    const { fd, stats } = openFile(root, path, 'refuse');
    try {
      const { sha256, size } = await hashFile(fd, stats.size, slice);
      return { path, size, sha256, mode: stats.mode & 0o777, modified_at: instant(stats.mtimeMs) };
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (error instanceof Problem) return { path, reason: error.message };
    if (errnoOf(error)) return { path, reason: `it can't be read: ${errnoOf(error)}` };
    throw error;
  }
}
