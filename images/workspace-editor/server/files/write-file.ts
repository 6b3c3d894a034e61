import { randomBytes } from 'node:crypto';
import { type BigIntStats, createWriteStream, renameSync, statSync } from 'node:fs';
import { mkdir, realpath, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Call, sendJson } from '../http/call.ts';
import { errnoOf, Problem } from '../problem.ts';
import { versionOf } from './file-version.ts';
import { pathInHome } from './home-path.ts';

const MAX_BYTES = 1024 * 1024 * 1024;

/** Which version of a file may be replaced: one, whichever is there, or none at all. */
type Expected = { readonly version: string } | 'any' | 'none';

/**
 * `PUT api/file`: replaces a file or makes it, folders above it too. It is written beside and renamed: at every
 * moment the file is the old one or the new one, whole. The caller says which version it means to replace.
 */
export async function writeFile({ editor, req, res, query }: Call): Promise<void> {
  const expected = expectedVersion(req.headers);
  if (Number(req.headers['content-length']) > MAX_BYTES) throw tooLarge();
  const path = await linkTarget(pathInHome(editor.home, query.get('path')));
  const before = await stat(path, { bigint: true }).catch(unlessAbsent);
  refuseUnless(expected, before);
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  const beside = join(folder, `.saving-${randomBytes(6).toString('hex')}`);
  try {
    const mode = before === undefined ? 0o666 : Number(before.mode & 0o777n);
    const file = createWriteStream(beside, { flags: 'wx', mode, flush: true });
    await pipeline(req, atMost(MAX_BYTES), file);
    // Checked and renamed in one turn: of two that save at once, the second is told.
    refuseUnless(expected, statSync(path, { bigint: true, throwIfNoEntry: false }));
    renameSync(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
  const version = versionOf(await stat(path, { bigint: true }));
  res.setHeader('etag', version);
  sendJson(res, before === undefined ? 201 : 200, { version });
}

function expectedVersion(headers: Call['req']['headers']): Expected {
  if (headers['if-none-match'] === '*') return 'none';
  const version = headers['if-match'];
  if (version === undefined)
    throw new Problem('INVALID_REQUEST', 'Say with If-Match or If-None-Match what may be replaced.');
  return version === '*' ? 'any' : { version };
}

function refuseUnless(expected: Expected, found: BigIntStats | undefined): void {
  if (found?.isDirectory()) throw new Problem('EXISTS', 'There is a folder of this name.');
  if (expected === 'any') return;
  if (expected === 'none') {
    if (found !== undefined) throw new Problem('EXISTS', 'There is a file of this name already.');
  } else if (found === undefined) throw new Problem('CHANGED', 'The file is gone.');
  else if (versionOf(found) !== expected.version)
    throw new Problem('CHANGED', 'The file has changed since it was read.');
}

/** A link stays one: what it leads to is replaced. */
async function linkTarget(path: string): Promise<string> {
  return (await realpath(path).catch(unlessAbsent)) ?? path;
}

function unlessAbsent(error: unknown): undefined {
  if (errnoOf(error) !== 'ENOENT') throw error;
}

const tooLarge = () => new Problem('TOO_LARGE', `A file may have ${MAX_BYTES / 1024 / 1024} MB.`);

/** Passes bytes on, and fails at the first too many. */
function atMost(bytes: number): Transform {
  let left = bytes;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      left -= chunk.length;
      if (left < 0) done(tooLarge());
      else done(null, chunk);
    },
  });
}
