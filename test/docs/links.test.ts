import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Marked, type Token } from 'marked';
import { describe, expect, it } from 'vitest';
import { readContents } from '../../runtime/http/documentation/contents.ts';
import { HeadingIds } from '../../runtime/http/documentation/heading-ids.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NOT_OURS = ['**/node_modules/**', 'dist/**', '.*/**'];
const pages = globSync('**/*.md', { cwd: ROOT, exclude: NOT_OURS }).toSorted();

describe('every page', () => {
  it.each(pages)('%s has links that lead somewhere', (page) => {
    const broken = readPage(page).links.filter((link) => !leadsSomewhere(link, page));
    expect(broken).toEqual([]);
  });

  it('of docs/ is in the table of contents, once', () => {
    const { addresses, groups } = readContents(readFileSync(join(ROOT, 'docs/README.md'), 'utf8'));
    const listed = groups.flatMap((group) => group.pages.map(({ file }) => file));
    expect(new Set(listed).size).toBe(listed.length);
    for (const page of pages.filter((each) => each.startsWith('docs/')))
      expect(addresses.has(page), `docs/README.md lists ${page}`).toBe(true);
    for (const file of addresses.keys()) expect(existsSync(join(ROOT, file)), file).toBe(true);
  });
});

function leadsSomewhere(link: string, page: string): boolean {
  if (/^https?:/.test(link)) return true; // another's: nothing here depends on it
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : posix.join(dirname(page), path);
  if (!existsSync(join(ROOT, target))) return false;
  return anchor === undefined || (target.endsWith('.md') && readPage(target).anchors.has(anchor));
}

function readPage(page: string): { links: string[]; anchors: Set<string> } {
  const marked = new Marked();
  const links: string[] = [];
  const anchors = new Set<string>();
  const ids = new HeadingIds();
  marked.walkTokens(marked.lexer(readFileSync(join(ROOT, page), 'utf8')), (token) => {
    if (token.type === 'link' || token.type === 'image') links.push(token.href);
    if (token.type === 'heading') anchors.add(ids.next(plain(token.tokens ?? [])));
  });
  return { links, anchors };
}

/** As a reader sees it. */
function plain(tokens: Token[]): string {
  return tokens
    .map((token) => ('tokens' in token && token.tokens ? plain(token.tokens) : textOf(token)))
    .join('');
}

function textOf(token: Token): string {
  return 'text' in token ? token.text : token.raw;
}
