import { ERRORS } from '../contracts/errors.ts';
import { escapeHtml } from './escape-html.ts';
import type { Route } from './route.ts';

/** The reference of the API as one page of plain HTML, from the OpenAPI document. */
export function docsPage(routes: Route[], document: Record<string, unknown>): string {
  const tags = Map.groupBy(routes, (route) => route.tag);
  const sections = [...tags].map(
    ([tag, group]) => `<h2>${escapeHtml(tag)}</h2>\n${group.map(routeHtml).join('\n')}`,
  );
  const errors = Object.entries(ERRORS).map(
    ([code, row]) =>
      `<tr id="${code}"><td>${row.status}</td><td><code>${code}</code></td><td>${escapeHtml(row.title)}</td></tr>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Berth API</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 2rem auto; padding: 0 1rem; color: #1c2733; background: #fff }
code, pre { font: 14px/1.45 ui-monospace, monospace; background: #f2f5f8; border-radius: 4px }
code { padding: .1em .3em } pre { padding: .8rem; overflow: auto }
h3 { margin: 2rem 0 .3rem } .m { display: inline-block; min-width: 4.2rem; color: #0b62a8 }
table { border-collapse: collapse } td { padding: .15rem .8rem .15rem 0; vertical-align: top }
small { color: #5b6875 }
@media (prefers-color-scheme: dark) { body { color: #dce3ea; background: #14191f } code, pre { background: #222a33 } .m { color: #6db8f2 } }
</style>
<h1>Berth API</h1>
<p>Send <code>Authorization: Bearer &lt;key&gt;</code>. The same as a document for tools: <a href="/openapi.json">/openapi.json</a>.</p>
${sections.join('\n')}
<h2>Errors</h2>
<p>Every error is <code>application/problem+json</code> with <code>type, title, status, detail, code, request_id</code>.</p>
<table>${errors.join('\n')}</table>
<h2>Schemas</h2>
<pre>${escapeHtml(JSON.stringify((document.components as { schemas: unknown }).schemas, null, 2))}</pre>
</html>
`;
}

function routeHtml(route: Route): string {
  const scope = { public: 'no key', use: '', admin: 'admin key' }[route.access];
  const answers = Object.entries(route.answers).map(
    ([status, answer]) =>
      `<tr><td>${status}</td><td>${inline(answer.description)} <small>${Object.keys(answer.content ?? {}).join(', ')}</small></td></tr>`,
  );
  const errors = route.errors.map((code) => `<a href="#${code}"><code>${code}</code></a>`).join(' ');
  return `<h3><span class="m">${route.method.toUpperCase()}</span> <code>${escapeHtml(route.path)}</code></h3>
<p>${inline(route.summary)}. ${inline(route.description ?? '')} <small>${scope}</small></p>
<table>${answers.join('')}</table>${errors === '' ? '' : `<p><small>${errors}</small></p>`}`;
}

function inline(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}
