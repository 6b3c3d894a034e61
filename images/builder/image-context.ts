import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { join, relative } from 'node:path';
import { bundle } from './bundle.ts';
import type { Recipe } from './recipes.ts';

/** Makes an image's build context in an empty folder: its files, and its program as a bundle. */
export async function makeContext(recipe: Recipe, context: string): Promise<void> {
  for (const file of recipe.files)
    cpSync(join(recipe.folder, file), join(context, file), { recursive: true });
  await bundle({ ...recipe.program, folder: join(context, 'bundle') });
  // The engine keys its own cache by what the context's entries say, their times among it.
  for (const file of filesIn(context)) utimesSync(join(context, file), 0, 0);
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
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}
