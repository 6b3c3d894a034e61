import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { blocksOf, type PageBlock } from './page-blocks.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** The pages whose commands are for people to run, from the repository's root. */
export function documentedPages(): string[] {
  const found = globSync(['README.md', 'docs/**/*.md', 'runtime/client/README.md'], { cwd: ROOT });
  return found.toSorted();
}

export function blocksOfPage(page: string): PageBlock[] {
  return blocksOf(readFileSync(new URL(`../../../${page}`, import.meta.url), 'utf8'));
}

/** Of those, the ones with commands to run here. */
export function pagesToRun(): string[] {
  return documentedPages().filter((page) =>
    blocksOfPage(page).some((block) => block.kind === 'commands' && !block.elsewhere),
  );
}
