import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { LANGUAGES, vendorFiles } from '../../../images/workspace-editor/server/vendor-files.ts';
import { RunningEditor } from './running-editor.ts';

let editor: RunningEditor;
beforeAll(async () => {
  editor = await RunningEditor.start({}, false);
});
afterAll(() => editor.stop());

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${editor.url}${path}`, { headers });

describe('the page', () => {
  it('is served whole, all that it names beside it', async () => {
    const page = new URL('../../../images/workspace-editor/page/', import.meta.url);
    const modules = readdirSync(page).filter((name) => /\.(js|css)$/.test(name));
    const html = await (await get('')).text();
    const named = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path ?? '');
    for (const path of [...modules, ...named, ...[...vendorFiles().keys()].map((name) => `vendor/${name}`)]) {
      if (path.startsWith('data:')) continue;
      expect(path).toMatch(/^[a-z]/);
      const answer = await get(path);
      expect([path, answer.status]).toEqual([path, 200]);
      expect(answer.headers.get('content-type')).toMatch(/^text\/(javascript|css); charset=utf-8$/);
    }
  });

  it('has a mode for every language that it knows', () => {
    const source = new URL('../../../images/workspace-editor/page/languages.js', import.meta.url);
    const known = [...readFileSync(source, 'utf8').matchAll(/^ {2}(\w+): \[/gm)].map(([, name]) => name);
    expect(known).toEqual([...LANGUAGES]);
  });

  it('lets nothing run but its own scripts, and nothing load from elsewhere', async () => {
    const { headers } = await get('');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self';");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('is asked for again and mostly not sent again', async () => {
    const first = await get('vendor/ace/ace.js');
    expect(first.headers.get('content-encoding')).toBe('gzip');
    expect(await first.text()).toContain('ace.define');
    const again = await get('vendor/ace/ace.js', { 'if-none-match': first.headers.get('etag') ?? '' });
    expect(again.status).toBe(304);
    const plain = await get('main.js', { 'accept-encoding': 'identity' });
    expect(plain.headers.get('content-encoding')).toBeNull();
  });

  it.each([
    'tsconfig.json',
    'vendor.d.ts',
    '../server/main.ts',
    '%2e%2e/server/main.ts',
    'vendor/ace/../xterm.css/',
    'api',
  ])('has no %s', async (path) => {
    expect((await get(path)).status).toBe(404);
  });
});

describe('the server', () => {
  it('is healthy', async () => {
    expect(await (await get('healthz')).json()).toEqual({ status: 'ok' });
  });

  it('tells which methods a path has', async () => {
    const answer = await editor.call('PATCH', 'folder');
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, POST']);
  });

  const host = () => `127.0.0.1:${editor.port}`;
  it.each<[string, number, () => Record<string, string>]>([
    ['its own page', 200, () => ({ origin: `http://${host()}`, 'sec-fetch-site': 'same-origin' })],
    ['its own page behind TLS', 200, () => ({ origin: `https://${host()}` })],
    [
      'its own page behind a proxy',
      200,
      () => ({ origin: 'https://a.example', 'x-forwarded-host': 'A.example' }),
    ],
    ['a program', 200, () => ({})],
    ['another page', 403, () => ({ origin: 'https://evil.example' })],
    ['a workspace next door', 403, () => ({ 'sec-fetch-site': 'same-site' })],
    ['another page without an origin', 403, () => ({ 'sec-fetch-site': 'cross-site' })],
    ['a page in a sandbox', 403, () => ({ origin: 'null' })],
  ])('answers %s with %i', async (_who, status, headers) => {
    const answer = await get('api/terminals', headers());
    expect(answer.status).toBe(status);
    const socket = new WebSocket(`ws://${host()}/api/watch`, { headers: headers() });
    const outcome = await Promise.race([
      once(socket, 'open').then(() => 200),
      once(socket, 'unexpected-response').then(([, response]) => response.statusCode),
    ]);
    socket.on('error', () => {}).terminate();
    expect(outcome).toBe(status);
  });

  it('greets in an empty home, and only there', async () => {
    expect(readFileSync(join(editor.home, 'welcome.md'), 'utf8')).toContain('# Welcome');
    const used = mkdtempSync(join(tmpdir(), 'berth-editor-used-'));
    writeFileSync(join(used, '.profile'), '');
    await RunningEditor.start({ HOME: used });
    expect(readdirSync(used)).toEqual(['.profile']);
    rmSync(used, { recursive: true });
  });

  it('listens on loopback alone unless it is told otherwise', async () => {
    const inode = readFileSync(`/proc/${editor.child.pid}/net/tcp`, 'utf8');
    const port = editor.port.toString(16).toUpperCase().padStart(4, '0');
    expect(inode).toContain(`0100007F:${port} 00000000:0000 0A`);
  });

  it.each([{ PORT: 'x' }, { PORT: '70000' }, { HOME: '/dev/null' }])(
    'does not start with %j',
    async (env) => {
      const main = new URL('../../../images/workspace-editor/server/main.ts', import.meta.url).pathname;
      const { status, stderr } = spawnSync(process.execPath, [main], {
        env: { HOME: editor.home, PORT: '0', ...env },
        encoding: 'utf8',
        timeout: 10_000,
      });
      expect([status, stderr]).toEqual([2, expect.stringMatching(/^editor: .*\n$/)]);
    },
  );
});
