import { opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Call, sendJson } from '../http/call.ts';
import { homePath } from './home-path.ts';

/** More than anyone reads in a tree; a folder of a million files must not stop the page. */
const MAX_ENTRIES = 5000;

type EntryKind = 'file' | 'folder' | 'other';

interface FolderEntry {
  readonly name: string;
  readonly kind: EntryKind;
}

/** `GET api/folder`: what is in a folder, links as what they lead to. */
export async function listFolder({ editor, res, query }: Call): Promise<void> {
  const folder = homePath(editor.home, query.get('path'));
  const entries: FolderEntry[] = [];
  let more = false;
  for await (const entry of await opendir(folder)) {
    more = entries.length === MAX_ENTRIES;
    if (more) break;
    const found = entry.isSymbolicLink() ? await followed(join(folder, entry.name)) : entry;
    entries.push({ name: entry.name, kind: kindOf(found) });
  }
  sendJson(res, 200, { entries, more });
}

type Kinds = { isFile(): boolean; isDirectory(): boolean };

function kindOf(found: Kinds | undefined): EntryKind {
  if (found?.isDirectory()) return 'folder';
  return found?.isFile() ? 'file' : 'other';
}

async function followed(path: string): Promise<Kinds | undefined> {
  return stat(path).catch(() => undefined);
}
