import { createHash } from 'node:crypto';
import { chmodSync, cpSync, type Dirent, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { bundle } from './bundle.ts';
import type { Recipe } from './recipes.ts';

/** What Python leaves beside what it runs. */
const PYTHON_CACHE = '__pycache__';

/** Makes an image's build context in an empty folder: its files, and its program as a bundle. */
export async function makeContext(recipe: Recipe, context: string): Promise<void> {
  const filter = (path: string) => basename(path) !== PYTHON_CACHE;
  for (const file of recipe.files)
    cpSync(join(recipe.folder, file), join(context, file), { recursive: true, filter });
  if (recipe.program !== undefined) await bundle({ ...recipe.program, folder: join(context, 'bundle') });
  settle(context);
}

/** The same whoever makes it, when and with which umask: the engine copies modes, and keys its cache by times, too. */
export function settle(context: string): void {
  for (const folder of foldersIn(context)) chmodSync(join(context, folder), 0o755);
  for (const file of filesIn(context)) {
    const path = join(context, file);
    chmodSync(path, statSync(path).mode & 0o100 ? 0o755 : 0o644);
    utimesSync(path, 0, 0);
  }
}

/** Changes with any file of the context and with anything else that makes the image what it is; never with time. */
export function contextHash(context: string, besides: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(besides));
  for (const file of filesIn(context)) {
    const content = readFileSync(join(context, file));
    hash
      .update(`\0${file}\0${statSync(join(context, file)).mode & 0o777}\0${content.length}\0`)
      .update(content);
  }
  return hash.digest('hex').slice(0, 12);
}

/** Relative, in a fixed order. */
export function filesIn(folder: string): string[] {
  return entriesIn(folder, (entry) => entry.isFile());
}

function foldersIn(folder: string): string[] {
  return entriesIn(folder, (entry) => entry.isDirectory());
}

function entriesIn(folder: string, which: (entry: Dirent) => boolean): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(which)
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}
