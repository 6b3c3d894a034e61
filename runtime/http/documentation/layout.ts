import { createHash } from 'node:crypto';
import { escapeHtml } from '../escape-html.ts';
import type { Contents } from './contents.ts';

const STYLE = `
:root { color-scheme: light dark; --text: #1c2733; --back: #fff; --soft: #f2f5f8; --line: #d5dde5; --link: #0b57a0; --faint: #55626f }
@media (prefers-color-scheme: dark) { :root { --text: #dce3ea; --back: #14191f; --soft: #202833; --line: #36424e; --link: #7cc0f7; --faint: #a3b2c1 } }
* { box-sizing: border-box }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; color: var(--text); background: var(--back) }
header { padding: .7rem 1rem; border-bottom: 1px solid var(--line) } header a { margin-right: 1rem }
main { max-width: 54rem; padding: 0 1rem 3rem; overflow-wrap: break-word }
nav { padding: 1rem; border-top: 1px solid var(--line) } nav h2 { margin: 1rem 0 .2rem; font-size: 1rem } nav ul { margin: 0; padding: 0; list-style: none }
nav a { display: block; padding: .15rem 0 } a { color: var(--link) } [aria-current] { font-weight: 600; color: inherit; text-decoration: none }
h1 { line-height: 1.2 } h2 { margin-top: 2.2rem } h3 { margin: 1.8rem 0 .3rem } :target { outline: 2px solid var(--link); outline-offset: 2px }
code, pre { font: 14px/1.45 ui-monospace, monospace; background: var(--soft); border-radius: 4px }
code { padding: .1em .3em } pre { padding: .8rem; overflow: auto } pre code { padding: 0; background: none }
.wide { overflow-x: auto } table { border-collapse: collapse } td, th { padding: .3rem .9rem .3rem 0; vertical-align: top; text-align: left; border-bottom: 1px solid var(--line) }
td:not(:first-child) { min-width: 6rem } small { color: var(--faint) }
@media (min-width: 60rem) { body { display: grid; grid-template-columns: 17rem minmax(0, 1fr) } header { grid-column: 1 / 3 } main { padding-left: 2rem } nav { grid-area: 2 / 1; border: 0 } }
`;

/** Nothing but the page and its own style: no script, no frame, nothing from elsewhere. */
export const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The frame of every page; it stands in front of it in the text, and beside it where there is room. */
export function layout(page: { title: string; html: string; address: string }, contents: Contents): string {
  const groups = contents.groups.map(
    ({ title, pages }) => `<h2>${escapeHtml(title)}</h2>
<ul>${pages.map((each) => `<li>${item(each.title, each.address, page.address)}</li>`).join('')}</ul>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page.title)} · Berth</title>
<style>${STYLE}</style>
<header>${item('Berth documentation', '/docs', page.address)}${item('API', '/docs/api', page.address)}<a href="#contents">Contents</a></header>
<main>
${page.html}
</main>
<nav id="contents" aria-label="Contents">
${groups.join('\n')}
</nav>
</html>
`;
}

function item(title: string, address: string, current: string): string {
  return `<a href="${escapeHtml(address)}"${address === current ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a>`;
}
