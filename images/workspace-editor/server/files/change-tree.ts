import { lstatSync, renameSync } from 'node:fs';
import { lstat, mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Call, sendJson } from '../http/call.ts';
import { Problem } from '../problem.ts';
import { pathInHome } from './home-path.ts';

/** `POST api/folder`: makes a folder, and those above it. */
export async function makeFolder({ editor, res, query }: Call): Promise<void> {
  const path = pathInHome(editor.home, query.get('path'));
  await mkdir(dirname(path), { recursive: true });
  await mkdir(path);
  sendJson(res, 201, {});
}

/** `POST api/move`: another name or another place; never over something. */
export async function moveEntry({ editor, res, query }: Call): Promise<void> {
  const from = pathInHome(editor.home, query.get('from'));
  const to = pathInHome(editor.home, query.get('to'));
  lstatSync(from);
  if (to !== from) {
    await mkdir(dirname(to), { recursive: true });
    // Looked at and renamed in one turn; rename would replace a file without a word.
    if (lstatSync(to, { throwIfNoEntry: false }) !== undefined)
      throw new Problem('EXISTS', 'There is something of this name already.');
    renameSync(from, to);
  }
  sendJson(res, 200, {});
}

/** `DELETE api/entry`: a file, a link (not what it leads to), or a folder with all that is in it. */
export async function deleteEntry({ editor, res, query }: Call): Promise<void> {
  const path = pathInHome(editor.home, query.get('path'));
  await lstat(path);
  await rm(path, { recursive: true });
  sendJson(res, 200, {});
}
