import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Call } from '../http/call.ts';
import { Problem } from '../problem.ts';
import { versionOf } from './file-version.ts';
import { homePath } from './home-path.ts';

/** What the editor still shows fluently. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;

/** `GET api/text`: a file for the editor, with its version; refused if it is not text, which saving would spoil. */
export async function readText({ editor, req, res, query }: Call): Promise<void> {
  await using file = await openFile(homePath(editor.home, query.get('path')));
  const stats = await file.stat({ bigint: true });
  const version = versionOf(stats);
  if (req.headers['if-none-match'] === version) {
    res.writeHead(304, { etag: version }).end();
    return;
  }
  if (stats.size > MAX_TEXT_BYTES)
    throw new Problem('TOO_LARGE', `This file is larger than ${MAX_TEXT_BYTES / 1024 / 1024} MB.`);
  const content = await file.readFile();
  if (!isUtf8(content) || content.includes(0)) throw new Problem('NOT_TEXT', 'This file is not text.');
  res.writeHead(200, { ...ASIDE, 'content-length': content.length, etag: version });
  res.end(content);
}

/** `GET api/file`: the file itself, of any size, to keep. */
export async function downloadFile({ editor, res, query }: Call): Promise<void> {
  const path = homePath(editor.home, query.get('path'));
  await using file = await openFile(path);
  const { size } = await file.stat();
  const name = encodeURIComponent(basename(path)).replaceAll("'", '%27');
  res.writeHead(200, {
    ...ASIDE,
    'content-length': size,
    'content-disposition': `attachment; filename*=UTF-8''${name}`,
  });
  // What is appended meanwhile does not belong to the length that is told.
  if (size === 0) res.end();
  else await pipeline(file.createReadStream({ end: size - 1, autoClose: false }), res);
}

/** A user's file must never run as a page of this origin. */
const ASIDE = { 'content-type': 'application/octet-stream', 'cache-control': 'no-store' };

/** Not blocking: opening a named pipe would wait for its writer. */
async function openFile(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const stats = await file.stat();
  if (stats.isFile()) return file;
  await file.close();
  throw new Problem('INVALID_PATH', stats.isDirectory() ? 'This is a folder.' : 'This is not a file.');
}
