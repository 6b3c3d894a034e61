import { posix } from 'node:path';
import type { Renderer, Tokens } from 'marked';
import { escapeHtml } from '../escape-html.ts';
import { HeadingIds } from './heading-ids.ts';

export interface Rendered {
  title: string;
  html: string;
}

/**
 * A page of ours as HTML. HTML in it is shown, never taken; links to pages that are served lead there, and those to
 * other files of the repository are text: whoever reads it here may have none.
 */
export async function renderMarkdown(
  text: string,
  file: string,
  addresses: ReadonlyMap<string, string>,
): Promise<Rendered> {
  const { Marked } = await import('marked'); // no start waits for it
  const ids = new HeadingIds();
  let title = 'Berth';
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading) {
        const plain = unescaped(this.parser.parseInline(tokens, this.parser.textRenderer));
        if (depth === 1) title = plain;
        return `<h${depth} id="${escapeHtml(ids.next(plain))}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link(token: Tokens.Link) {
        const words = this.parser.parseInline(token.tokens);
        const target = addressOf(token.href, file, addresses);
        return target === undefined ? words : `<a href="${escapeHtml(target)}">${words}</a>`;
      },
      image: ({ text: alternative }: Tokens.Image) => escapeHtml(alternative),
      html: ({ text: raw }: Tokens.HTML | Tokens.Tag) =>
        /^\s*<!--[\s\S]*?-->\s*$/.test(raw) ? '' : escapeHtml(raw),
      code: ({ text: code }: Tokens.Code) => `<pre tabindex="0"><code>${escapeHtml(code)}\n</code></pre>\n`,
      table(token: Tokens.Table) {
        return `<div class="wide" tabindex="0">${tableHtml(this, token)}</div>\n`;
      },
    },
  });
  return { html: await marked.parse(text), title };
}

/** Nothing where it leads to a file that is not served. */
function addressOf(href: string, file: string, addresses: ReadonlyMap<string, string>): string | undefined {
  if (/^(https?:\/\/|#)/.test(href)) return href;
  const [target = '', anchor] = href.split('#');
  const address = addresses.get(posix.join(posix.dirname(file), target));
  return address === undefined || anchor === undefined ? address : `${address}#${anchor}`;
}

/** A heading without a word is left out: most of our tables explain themselves. */
function tableHtml({ parser }: Renderer, { header, rows }: Tokens.Table): string {
  const cells = (row: Tokens.TableCell[], tag: 'td' | 'th') =>
    `<tr>${row.map(({ tokens }) => `<${tag}>${parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`;
  const head = header.some(({ text }) => text !== '') ? `<thead>${cells(header, 'th')}</thead>` : '';
  return `<table>${head}<tbody>\n${rows.map((row) => cells(row, 'td')).join('\n')}\n</tbody></table>`;
}

/** The words themselves, which `textRenderer` gives as HTML. */
function unescaped(html: string): string {
  return html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
