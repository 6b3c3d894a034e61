import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERRORS } from '../../../runtime/contracts/errors.ts';
import { readContents } from '../../../runtime/http/documentation/contents.ts';
import { HeadingIds } from '../../../runtime/http/documentation/heading-ids.ts';
import { renderMarkdown } from '../../../runtime/http/documentation/markdown.ts';
import { must } from '../../support/must.ts';
import { RuntimeProcess } from '../../support/runtime-process.ts';

describe('/docs', () => {
  let runtime: RuntimeProcess;
  beforeAll(async () => {
    // Nothing is run.
    runtime = await RuntimeProcess.start({
      env: { CONTAINER_MANAGER_TYPE: 'process', BERTH_ALLOW_UNISOLATED: '1' },
    });
  });
  afterAll(() => runtime[Symbol.asyncDispose]());

  const get = (path: string) => fetch(`${runtime.url}${path}`);
  const contents = readContents(readFileSync(new URL('../../../docs/README.md', import.meta.url), 'utf8'));

  it('has every page of the table of contents without a key, and every link in them leads somewhere', async () => {
    const addresses = [...contents.addresses.values(), '/docs/api'];
    const pages = new Map<string, string>();
    for (const address of addresses) {
      const answer = await get(address);
      expect(answer.status, address).toBe(200);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(answer.headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-/,
      );
      pages.set(address, await answer.text());
    }
    expect(addresses.length).toBeGreaterThan(15);
    for (const [address, html] of pages) {
      for (const [, href] of html.matchAll(/ href="([^"]+)"/g)) {
        if (must(href).startsWith('http')) continue;
        const { pathname, hash } = new URL(must(href), `http://x${address}`);
        if (pathname === '/openapi.json') continue;
        expect(pages.has(pathname), `${address} → ${href}`).toBe(true);
        if (hash !== '')
          expect(pages.get(pathname), `${address} → ${href}`).toContain(`id="${hash.slice(1)}"`);
      }
    }
  });

  it('is where the type of every problem leads', async () => {
    const problem = (await (await get('/v1/conversations/c1')).json()) as { type: string };
    expect(problem.type).toBe('/docs#UNAUTHENTICATED');
    const page = await (await get('/docs')).text();
    for (const code of Object.keys(ERRORS)) expect(page).toContain(`id="${code}"`);
  });

  it.each([
    ...['/docs/guides', '/docs/README', '/docs/README.md', '/docs/guides/egress.md', '/docs/generate.ts'],
    ...['/docs/../package.json', '/docs/%2e%2e/package.json', '/docs/guides/..%2f..%2fpackage.json'],
    ...['/docs/guides/%00', '/docs//guides/egress', '/docs/__proto__', '/docs/guides/egress/more'],
  ])('has no page %s', async (path) => {
    expect(await raw(runtime.url, path)).toBe(404);
  });

  it('opens nothing else', async () => {
    expect(await raw(runtime.url, '/docs/../v1/conversations')).toBe(404);
    expect(await raw(runtime.url, '/docsx')).toBe(401);
    expect((await fetch(`${runtime.url}/docs/api`, { method: 'POST' })).status).toBe(405);
    expect(await raw(runtime.url, '/docs/%zz')).toBe(400);
  });
});

describe('a page of Markdown', () => {
  const render = async (text: string) =>
    (await renderMarkdown(text, 'docs/guides/a.md', new Map([['docs/b.md', '/docs/b']]))).html;

  it('shows HTML instead of taking it, and leaves comments out', async () => {
    const html = await render(
      '# T\n\n<script>alert(1)</script>\n\na <img src=x onerror=y> b\n\n<!-- note -->\n',
    );
    expect(html).not.toMatch(/<script|<img|note/);
    expect(html).toContain('&lt;script&gt;');
  });

  it('leads to pages that are served; other files and other schemes are text', async () => {
    const html = await render(
      '[b](../b.md#part) [c](../../test/c.ts) [d](javascript:alert) [e](https://e.example/)',
    );
    expect(html).toContain('<a href="/docs/b#part">b</a> c d <a href="https://e.example/">e</a>');
  });

  it('keeps what code says', async () => {
    expect(await render('```\n<a> & "b"\n```')).toContain('&lt;a&gt; &amp; &quot;b&quot;');
    expect(await render('| a | b |\n|---|---|\n| `x` | <b>y</b> |')).toContain(
      '<td>&lt;b&gt;y&lt;/b&gt;</td>',
    );
  });

  it('has ids of headings as GitHub makes them', async () => {
    const ids = new HeadingIds();
    expect(
      ['When `up` fails', 'Single commands', 'Single commands', "What's this?"].map((each) => ids.next(each)),
    ).toEqual(['when-up-fails', 'single-commands', 'single-commands-1', 'whats-this']);
    expect(await render('## `POST` <path> & "more"')).toContain('<h2 id="post-path--more">');
  });
});

/** Sends the path as it stands; `fetch` would resolve its dots. */
function raw(url: string, path: string): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}
