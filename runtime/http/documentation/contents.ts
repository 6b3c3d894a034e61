import { posix } from 'node:path';

/** A page that is served: all of them are listed in docs/README.md. */
export interface ListedPage {
  readonly title: string;
  /** `/docs/guides/egress`. */
  readonly address: string;
  /** From the repository's root: `docs/guides/egress.md`. */
  readonly file: string;
}

export interface Contents {
  readonly groups: readonly { readonly title: string; readonly pages: readonly ListedPage[] }[];
  /** The addresses of pages by their files. */
  readonly addresses: ReadonlyMap<string, string>;
}

export const CONTENTS_FILE = 'docs/README.md';

/** Pages that lie where their subject is. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'runtime/client/README.md': '/docs/client',
  'CHANGELOG.md': '/docs/changelog',
};

/** What the table of contents lists: its headings, and below each the items that begin with a link to a page. */
export function readContents(text: string): Contents {
  const groups: { title: string; pages: ListedPage[] }[] = [];
  for (const line of text.split('\n')) {
    const heading = /^## (.+)$/.exec(line)?.[1];
    if (heading !== undefined) groups.push({ title: heading, pages: [] });
    const [, title, target] = /^- \[([^\]]+)\]\(([^)#]+\.md)\)/.exec(line) ?? [];
    if (title === undefined || target === undefined) continue;
    const file = posix.join(posix.dirname(CONTENTS_FILE), target);
    const address = ELSEWHERE[file] ?? `/${file.slice(0, -'.md'.length)}`;
    groups.at(-1)?.pages.push({ title: title.replaceAll('`', ''), address, file });
  }
  const listed = groups.flatMap(({ pages }) => pages).map(({ file, address }) => [file, address] as const);
  return { groups, addresses: new Map([[CONTENTS_FILE, '/docs'], ...listed]) };
}
