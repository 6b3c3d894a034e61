import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { contextHash, makeContext } from './builder/image-context.ts';
import { ourPackage } from './builder/our-package.ts';
import { recipes } from './builder/recipes.ts';

// `node images/contexts.ts <folder>`: the build contexts of all images, for whoever builds them elsewhere, and
// contexts.json with a hash of each: {"runtime": "0f3a…"}.

const [folder] = process.argv.slice(2);
if (folder === undefined || folder.startsWith('-')) {
  console.error('node images/contexts.ts <folder>: writes the build context of every image there.');
  process.exit(2);
}
const target = resolve(folder);
mkdirSync(dirname(target), { recursive: true });
// Beside it first: whoever reads meanwhile finds the old one, or the new one, whole.
const made = mkdtempSync(`${target}-`);
const hashes: Record<string, string> = {};
for (const recipe of recipes) {
  const context = join(made, recipe.name);
  mkdirSync(context);
  await makeContext(recipe, context);
  hashes[recipe.name] = contextHash(context, [recipe.name, ourPackage.version]);
}
writeFileSync(join(made, 'contexts.json'), `${JSON.stringify(hashes, null, 2)}\n`);
rmSync(target, { recursive: true, force: true });
renameSync(made, target);
