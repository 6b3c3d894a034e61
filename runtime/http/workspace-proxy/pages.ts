import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { ERRORS } from '../../contracts/errors.ts';
import { escapeHtml } from '../escape-html.ts';
import type { Problem } from '../problem.ts';
import type { Waiting } from './waiting.ts';

const STYLE = `
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 34rem; margin: 15vh auto 0; padding: 0 1.2rem; color: #1c2733; background: #fff }
h1 { font-size: 1.4rem; margin: 0 0 .6rem } p { margin: .6rem 0 }
code, pre { font: 14px/1.45 ui-monospace, monospace; background: #f2f5f8; border-radius: 4px }
code { padding: .1em .3em } pre { padding: .8rem; overflow: auto }
small { color: #5b6875 } progress { width: 100% }
button { font: inherit; padding: .3rem 1rem }
@media (prefers-color-scheme: dark) { body { color: #dce3ea; background: #14191f } code, pre { background: #222a33 } small { color: #9aa7b4 } }
`;

/** Looks how far it is until it runs, or does not; what it is told becomes text, never markup. */
const SCRIPT = `
const base = document.documentElement.dataset.base;
const words = document.getElementById('words');
async function look() {
  try {
    const answer = await fetch(base + '.berth/status', { cache: 'no-store' });
    const { state, message } = answer.ok ? await answer.json() : { state: 'unknown' };
    if (message) words.textContent = message;
    if (state === 'stopped') return;
    if (state !== 'waiting' && answer.status < 500) return location.reload();
  } catch {}
  setTimeout(look, 1000);
}
setTimeout(look, 1000);
`;

const POLICY = [
  "default-src 'none'",
  `style-src ${sourceHash(STYLE)}`,
  `script-src ${sourceHash(SCRIPT)}`,
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
].join('; ');

/** Sends itself away and comes back once the workspace runs. 503: nothing takes it for the page that was asked for. */
export function sendWaitingPage(response: ServerResponse, base: string, { message }: Waiting): void {
  const body = `<h1>Your workspace is on its way</h1>
<progress></progress>
<p id="words" role="status">${escapeHtml(message)}</p>
<p><small>This page goes on by itself.</small></p>
<noscript><p>Without scripts it looks again every few seconds.</p></noscript>
<script>${SCRIPT}</script>`;
  const head = '<noscript><meta http-equiv="refresh" content="3"></noscript>';
  response.setHeader('Retry-After', '2');
  sendPage(response, 503, page({ title: 'Starting', base, head, body }));
}

/** What went wrong, and what to do. `retry`: there is something to try again. */
export function sendErrorPage(
  response: ServerResponse,
  base: string,
  problem: Problem,
  { retry }: { retry: boolean },
): void {
  const { title, detail, code, status, request_id: id } = problem;
  const again = retry
    ? `<form method="post" action="${escapeHtml(base)}.berth/retry"><button>Try again</button></form>`
    : '';
  const body = `<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(detail)}</p>
<p>${inline(ERRORS[code].advice)}</p>
${again}
<p><small><code>${escapeHtml(code)}</code> · request ${escapeHtml(id)}</small></p>`;
  if (problem.retry_after !== undefined) response.setHeader('Retry-After', String(problem.retry_after));
  sendPage(response, status, page({ title, base, head: '', body }));
}

/** How to get in. */
export function sendSignInPage(response: ServerResponse, detail: string): void {
  const body = `<h1>This workspace wants a link</h1>
<p>${escapeHtml(detail)}</p>
<p>A link opens it in a browser, once, within a minute. Ask the API for one with your key, and open the <code>url</code> of its answer:</p>
<pre>curl -X POST -H "Authorization: Bearer &lt;key&gt;" &lt;API&gt;/v1/workspaces/&lt;id&gt;/sessions</pre>`;
  response.setHeader('WWW-Authenticate', 'Bearer');
  // The address may hold a token.
  sendPage(response, 401, page({ title: 'A link is wanted', base: '/', head: '', body }), 'no-referrer');
}

function page(of: { title: string; base: string; head: string; body: string }): string {
  return `<!doctype html>
<html lang="en" data-base="${escapeHtml(of.base)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(of.title)}</title>
${of.head}
<style>${STYLE}</style>
</head>
<body>
${of.body}
</body>
</html>
`;
}

function sendPage(response: ServerResponse, status: number, html: string, referrer = 'same-origin'): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(html));
  response.setHeader('Content-Security-Policy', POLICY);
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Referrer-Policy', referrer);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.end(html);
}

function sourceHash(text: string): string {
  return `'sha256-${hash('sha256', text, 'base64')}'`;
}

function inline(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}
