import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RunningEditor } from './running-editor.ts';

const ODD_NAMES = [
  'with blank',
  'uml-ä-日本-🚢',
  '%2e%2e',
  '-rf',
  'it\'s "so"',
  'a\nb',
  '?#&=+',
  '~',
  '...',
  '__proto__',
];

let editor: RunningEditor;
beforeAll(async () => {
  editor = await RunningEditor.start({}, false);
});
afterAll(() => editor.stop());
beforeEach(() => {
  for (const name of readdirSync(editor.home)) rmSync(join(editor.home, name), { recursive: true });
});

const at = (...names: string[]) => join(editor.home, ...names);
const put = (path: string, body: string, headers: Record<string, string>) =>
  editor.call('PUT', 'file', { path }, { body, headers });
const problem = async (answer: Response | Promise<Response>) => {
  const response = await answer;
  return [response.status, JSON.parse(await response.text()).code];
};
const NEW = { 'if-none-match': '*' };
const ANY = { 'if-match': '*' };

describe('reading and writing', () => {
  it('gives back what was written, of any name', async () => {
    for (const name of ODD_NAMES) {
      expect((await put(`folder/${name}`, `of ${name}`, NEW)).status).toBe(201);
      expect(readFileSync(at('folder', name), 'utf8')).toBe(`of ${name}`);
      const read = await editor.call('GET', 'text', { path: `folder/${name}` });
      expect(await read.text()).toBe(`of ${name}`);
      const kept = await editor.call('GET', 'file', { path: `folder/${name}` });
      expect(kept.headers.get('content-disposition')).toMatch(
        /^attachment; filename\*=UTF-8''[\w%.~!*()-]+$/,
      );
      expect(await kept.text()).toBe(`of ${name}`);
    }
    const { entries } = await editor.ask('GET', 'folder', { path: 'folder' });
    expect(entries.map(({ name }: { name: string }) => name).sort()).toEqual([...ODD_NAMES].sort());
  });

  it('saves over the version that was read, and tells a later one', async () => {
    writeFileSync(at('file'), 'first');
    const version = (await editor.call('GET', 'text', { path: 'file' })).headers.get('etag') ?? '';
    const saved = await put('file', 'second', { 'if-match': version });
    expect(saved.status).toBe(200);
    expect(await problem(put('file', 'third', { 'if-match': version }))).toEqual([412, 'CHANGED']);
    expect(readFileSync(at('file'), 'utf8')).toBe('second');
    const next = { 'if-match': JSON.parse(await saved.text()).version };
    expect((await put('file', 'third', next)).status).toBe(200);
  });

  it('takes one of two that save the same version at once', async () => {
    writeFileSync(at('file'), 'old');
    const version = (await editor.call('GET', 'text', { path: 'file' })).headers.get('etag') ?? '';
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => put('file', `by ${n}`, { 'if-match': version })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(412)]);
    expect(readFileSync(at('file'), 'utf8')).toBe(`by ${answers.findIndex(({ status }) => status === 200)}`);
    expect(readdirSync(editor.home)).toEqual(['file']);
  });

  it('tells a file that is gone or was made meanwhile, and takes none without a word of its version', async () => {
    expect(await problem(put('gone', 'x', { 'if-match': '"1-2-3"' }))).toEqual([412, 'CHANGED']);
    writeFileSync(at('there'), 'x');
    expect(await problem(put('there', 'y', NEW))).toEqual([409, 'EXISTS']);
    expect(await problem(put('there', 'y', {}))).toEqual([400, 'INVALID_REQUEST']);
    expect(readFileSync(at('there'), 'utf8')).toBe('x');
  });

  it('keeps a mode, and keeps a link a link', async () => {
    writeFileSync(at('script'), 'old');
    chmodSync(at('script'), 0o750);
    symlinkSync('script', at('link'));
    await put('link', 'new', ANY);
    expect(lstatSync(at('link')).isSymbolicLink()).toBe(true);
    expect(readFileSync(at('script'), 'utf8')).toBe('new');
    expect(statSync(at('script')).mode & 0o777).toBe(0o750);
  });

  it('leaves the file as it was when the connection breaks', async () => {
    writeFileSync(at('file'), 'whole');
    const query = new URLSearchParams({ path: 'file' });
    const upload = request(`${editor.url}api/file?${query}`, { method: 'PUT', headers: ANY });
    upload.on('error', () => {});
    upload.write(Buffer.alloc(300_000));
    await expect.poll(() => readdirSync(editor.home).length).toBe(2);
    upload.destroy();
    await expect.poll(() => readdirSync(editor.home)).toEqual(['file']);
    expect(readFileSync(at('file'), 'utf8')).toBe('whole');
  });

  it('takes a large file without holding it, and refuses one that is too large at once', async () => {
    const before = editor.memory();
    const size = 200 * 1024 * 1024;
    const piece = new Uint8Array(1024 * 1024);
    let left = size;
    const body = new ReadableStream({
      pull(stream) {
        if (left === 0) return stream.close();
        left -= piece.length;
        stream.enqueue(piece);
      },
    });
    const init = { body, headers: NEW, duplex: 'half' } as const;
    expect((await editor.call('PUT', 'file', { path: 'large' }, init)).status).toBe(201);
    expect(statSync(at('large')).size).toBe(size);
    expect(editor.memory() - before).toBeLessThan(80);
    const headers = { ...NEW, 'content-length': `${2 ** 31}` };
    const refused = request(`${editor.url}api/file?path=huge`, { method: 'PUT', headers });
    refused.on('error', () => {}).flushHeaders();
    const [response] = await once(refused, 'response');
    refused.destroy();
    expect(response.statusCode).toBe(413);
    expect(existsSync(at('huge'))).toBe(false);
  });

  it('refuses to edit what is too large or not text, and still lets it be kept', async () => {
    writeFileSync(at('large'), 'x'.repeat(5 * 1024 * 1024));
    writeFileSync(at('binary'), Buffer.from([1, 0, 2]));
    writeFileSync(at('latin1'), Buffer.from('caf\xe9', 'latin1'));
    expect(await problem(editor.call('GET', 'text', { path: 'large' }))).toEqual([413, 'TOO_LARGE']);
    expect(await problem(editor.call('GET', 'text', { path: 'binary' }))).toEqual([415, 'NOT_TEXT']);
    expect(await problem(editor.call('GET', 'text', { path: 'latin1' }))).toEqual([415, 'NOT_TEXT']);
    const kept = await editor.call('GET', 'file', { path: 'binary' });
    expect(kept.headers.get('content-type')).toBe('application/octet-stream');
    expect(kept.headers.get('x-content-type-options')).toBe('nosniff');
    expect([...new Uint8Array(await kept.arrayBuffer())]).toEqual([1, 0, 2]);
  });

  it('does not wait for what is no file', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    expect(await problem(editor.call('GET', 'text', { path: 'pipe' }))).toEqual([400, 'INVALID_PATH']);
    expect(await problem(editor.call('GET', 'file', { path: '' }))).toEqual([400, 'INVALID_PATH']);
  });
});

describe('the tree', () => {
  it('shows links as what they lead to, also where they lead nowhere', async () => {
    mkdirSync(at('folder'));
    symlinkSync('folder', at('to-folder'));
    symlinkSync('nowhere', at('to-nothing'));
    const { entries, more } = await editor.ask('GET', 'folder', { path: '' });
    const kinds = Object.fromEntries(entries.map(({ name, kind }: Record<string, string>) => [name, kind]));
    expect(kinds).toEqual({ folder: 'folder', 'to-folder': 'folder', 'to-nothing': 'other' });
    expect(more).toBe(false);
  });

  it('stops at five thousand, and says so', async () => {
    for (let n = 0; n < 5001; n++) writeFileSync(at(`${n}`), '');
    const { entries, more } = await editor.ask('GET', 'folder', { path: '' });
    expect([entries.length, more]).toEqual([5000, true]);
  });

  it('makes, renames, moves and deletes, and never over something', async () => {
    expect((await editor.call('POST', 'folder', { path: 'a/b' })).status).toBe(201);
    expect(await problem(editor.call('POST', 'folder', { path: 'a/b' }))).toEqual([409, 'EXISTS']);
    writeFileSync(at('a/b/file'), 'x');
    writeFileSync(at('other'), 'y');
    const move = (from: string, to: string) => editor.call('POST', 'move', { from, to });
    expect(await problem(move('a/b/file', 'other'))).toEqual([409, 'EXISTS']);
    expect((await move('a/b/file', 'new/place')).status).toBe(200);
    expect(readFileSync(at('new/place'), 'utf8')).toBe('x');
    expect(await problem(move('a', 'a/b/c'))).toEqual([400, 'INVALID_PATH']);
    expect(await problem(move('absent', 'b'))).toEqual([404, 'NOT_FOUND']);
    expect((await editor.call('DELETE', 'entry', { path: 'a' })).status).toBe(200);
    expect(await problem(editor.call('DELETE', 'entry', { path: 'a' }))).toEqual([404, 'NOT_FOUND']);
    expect(readdirSync(editor.home).sort()).toEqual(['new', 'other']);
  });

  it('deletes a link, and not what it leads to', async () => {
    mkdirSync(at('kept'));
    writeFileSync(at('kept/file'), '');
    symlinkSync('kept', at('link'));
    await editor.call('DELETE', 'entry', { path: 'link' });
    expect(readdirSync(at('kept'))).toEqual(['file']);
  });
});

describe('a hostile path', () => {
  const hostile = [
    '..',
    '../x',
    'a/../../x',
    '/etc/passwd',
    'a//b',
    './a',
    'a/.',
    'a\0b',
    'a/',
    'x'.repeat(5000),
    `${'y'.repeat(300)}`,
  ];
  it.each(hostile)('%j leaves home nowhere', async (path) => {
    const calls = [
      editor.call('GET', 'folder', { path }),
      editor.call('GET', 'text', { path }),
      editor.call('GET', 'file', { path }),
      put(path, 'x', NEW),
      editor.call('POST', 'folder', { path }),
      editor.call('POST', 'move', { from: path, to: 'b' }),
      editor.call('DELETE', 'entry', { path }),
    ];
    for (const call of calls) expect(await problem(call)).toEqual([400, 'INVALID_PATH']);
    expect(readdirSync(editor.home)).toEqual([]);
  });

  it('is home itself, which stays', async () => {
    expect(await problem(editor.call('DELETE', 'entry', { path: '' }))).toEqual([400, 'INVALID_PATH']);
    expect(await problem(editor.call('GET', 'text'))).toEqual([400, 'INVALID_REQUEST']);
  });
});
