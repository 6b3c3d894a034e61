import { ERRORS } from '../../contracts/errors.ts';
import { escapeHtml } from '../escape-html.ts';
import type { Route } from '../route.ts';

/** The reference of the API, from the routes that are served and their OpenAPI document. */
export function apiPage(routes: Route[], document: Record<string, unknown>): string {
  const tags = Map.groupBy(routes, (route) => route.tag);
  const sections = [...tags].map(
    ([tag, group]) => `<h2>${escapeHtml(tag)}</h2>\n${group.map(routeHtml).join('\n')}`,
  );
  const errors = Object.entries(ERRORS).map(
    ([code, row]) =>
      `<tr id="${code}"><td>${row.status}</td><td><code>${code}</code></td><td>${escapeHtml(row.title)}</td></tr>`,
  );
  return `<h1>Berth API</h1>
<p>Send <code>Authorization: Bearer &lt;key&gt;</code>. The same as a document for tools: <a href="/openapi.json">/openapi.json</a>.</p>
${sections.join('\n')}
<h2>Errors</h2>
<p>Every error is <code>application/problem+json</code> with <code>type, title, status, detail, code, request_id</code>.</p>
<div class="wide" tabindex="0"><table>${errors.join('\n')}</table></div>
<h2>Schemas</h2>
<pre tabindex="0">${escapeHtml(JSON.stringify((document.components as { schemas: unknown }).schemas, null, 2))}</pre>
`;
}

function routeHtml(route: Route): string {
  const scope = { public: 'no key', use: '', admin: 'admin key' }[route.access];
  const answers = Object.entries(route.answers).map(
    ([status, answer]) =>
      `<tr><td>${status}</td><td>${inline(answer.description)} <small>${Object.keys(answer.content ?? {}).join(', ')}</small></td></tr>`,
  );
  const errors = route.errors.map((code) => `<a href="#${code}"><code>${code}</code></a>`).join(' ');
  return `<h3>${route.method.toUpperCase()} <code>${escapeHtml(route.path)}</code></h3>
<p>${inline(route.summary)}. ${inline(route.description ?? '')} <small>${scope}</small></p>
<table>${answers.join('')}</table>${errors === '' ? '' : `<p><small>${errors}</small></p>`}`;
}

function inline(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}
