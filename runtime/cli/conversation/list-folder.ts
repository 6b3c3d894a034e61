import type { FileList } from '../../client/api.ts';

/** A file, and its way below the folder that is listed; '' where it is itself what is listed. */
export interface FoundFile {
  rest: string;
  file: FileList['files'][number];
}

interface FolderEntry {
  name: string;
  /** Of all that is in it, where it is a folder. */
  size: number;
  /** Of the latest that is in it. */
  modifiedAt: string;
}

/** What is right in a folder: folders in it end with a slash. */
export function listFolder(files: readonly FoundFile[]): FolderEntry[] {
  const entries = new Map<string, FolderEntry>();
  for (const { rest, file } of files) {
    const slash = rest.indexOf('/');
    const name = slash < 0 ? rest || file.path : rest.slice(0, slash + 1);
    const { size = 0, modifiedAt = '' } = entries.get(name) ?? {};
    const latest = modifiedAt > file.modified_at ? modifiedAt : file.modified_at;
    entries.set(name, { name, size: size + file.size, modifiedAt: latest });
  }
  return [...entries.values()].sort(byName);
}

/** All that is below it. */
export function listFiles(files: readonly FoundFile[]): FolderEntry[] {
  return files
    .map(({ rest, file }) => ({ name: rest || file.path, size: file.size, modifiedAt: file.modified_at }))
    .sort(byName);
}

function byName(a: FolderEntry, b: FolderEntry): number {
  return a.name < b.name ? -1 : 1;
}
