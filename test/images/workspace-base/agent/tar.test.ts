import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RunningAgent } from './running-agent.ts';

let agent: RunningAgent;
beforeAll(async () => {
  agent = await RunningAgent.start();
});
afterAll(() => agent.stop());
beforeEach(() => execFileSync('find', [agent.root, '-mindepth', '1', '-delete']));

const inside = (path: string) => join(agent.root, path);

function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** Every regular file below a folder with its content. */
function contents(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Object.fromEntries(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(folder.length + 1), readFileSync(path, 'latin1')];
    }),
  );
}

const LONG = `${'long/'.repeat(60)}${'name'.repeat(50)}`;
const ODD = {
  'a.txt': 'a',
  empty: '',
  'dir/b': 'x'.repeat(511),
  'dir/c': 'x'.repeat(512),
  'dir/d': 'x'.repeat(70_000),
  'Grüße 🎉\nline': 'odd',
  '-rf': 'dash',
  ' %41 ': 'percent',
  [`${'p'.repeat(99)}/${'n'.repeat(99)}`]: 'fits in two fields',
  [LONG]: 'long',
};

describe('GET /files.tar', () => {
  it('is an archive that GNU tar unpacks to the same files, times and permissions', async () => {
    for (const [path, content] of Object.entries(ODD)) write(inside(path), content);
    mkdirSync(inside('empty-dir'));
    chmodSync(inside('a.txt'), 0o751);
    utimesSync(inside('a.txt'), 1, 1_600_000_000);
    const { status, body, headers } = await agent.call('GET', '/files.tar');
    expect([status, headers['content-type']]).toEqual([200, 'application/x-tar']);
    const folder = mkdtempSync(join(tmpdir(), 'berth-tar-'));
    execFileSync('tar', ['-x', '-p', '-C', folder], { input: body });
    expect(contents(folder)).toEqual(contents(agent.root));
    expect(readdirSync(join(folder, 'empty-dir'))).toEqual([]);
    const { mode, mtimeMs } = statSync(join(folder, 'a.txt'));
    expect([mode & 0o777, mtimeMs]).toEqual([0o751, 1_600_000_000_000]);
    execFileSync('rm', ['-rf', folder]);
  });

  it('holds only the files and folders that are asked for', async () => {
    for (const path of ['a/x', 'a/y', 'b/z', 'c d+e']) write(inside(path), path);
    const query = new URLSearchParams([
      ['paths', 'a'],
      ['paths', 'c d+e'],
    ]);
    const { body } = await agent.call('GET', `/files.tar?${query}`);
    const listed = execFileSync('tar', ['-t'], { input: body }).toString().trim().split('\n');
    expect(listed.sort()).toEqual(['a/', 'a/x', 'a/y', 'c d+e']);
  });

  it('leaves out links, and follows one that is asked for if it stays inside', async () => {
    write(inside('real/file'), 'x');
    symlinkSync('real', inside('link'));
    const list = async (query: string) =>
      execFileSync('tar', ['-t'], { input: (await agent.call('GET', `/files.tar${query}`)).body }).toString();
    expect(await list('')).toBe('real/\nreal/file\n');
    expect(await list('?paths=link')).toBe('link/\nlink/file\n');
  });

  it('refuses a path that is not there before anything is sent', async () => {
    const { status, json } = await agent.call('GET', '/files.tar?paths=missing');
    expect([status, json.code]).toEqual([404, 'FILE_NOT_FOUND']);
  });
});

describe('PUT /files.tar', () => {
  it('takes back what was given', async () => {
    for (const [path, content] of Object.entries(ODD)) write(inside(path), content);
    chmodSync(inside('a.txt'), 0o751);
    utimesSync(inside('a.txt'), 1, 1_600_000_000);
    const before = contents(agent.root);
    const { body } = await agent.call('GET', '/files.tar');
    execFileSync('find', [agent.root, '-mindepth', '1', '-delete']);
    const { status, json } = await agent.call('PUT', '/files.tar', { body });
    const bytes = Object.values(before).reduce((sum, content) => sum + content.length, 0);
    expect([status, json]).toEqual([200, { files: Object.keys(ODD).length, bytes }]);
    expect(contents(agent.root)).toEqual(before);
    const { mode, mtimeMs } = statSync(inside('a.txt'));
    expect([mode & 0o777, mtimeMs]).toEqual([0o751, 1_600_000_000_000]);
  });

  it.each(['gnu', 'posix', 'ustar', 'v7', 'oldgnu'])('understands what tar writes as %s', async (format) => {
    const folder = mkdtempSync(join(tmpdir(), 'berth-tar-'));
    const names = format === 'v7' || format === 'ustar' ? ['a.txt', 'dir/b', 'empty'] : Object.keys(ODD);
    for (const name of names) write(join(folder, name), ODD[name] ?? '');
    mkdirSync(join(folder, 'empty-dir'));
    const body = execFileSync('tar', ['-c', `--format=${format}`, '-C', folder, '.'], { maxBuffer: 2 ** 24 });
    expect((await agent.call('PUT', '/files.tar', { body })).json.files).toBe(names.length);
    expect(contents(agent.root)).toEqual(contents(folder));
    expect(readdirSync(inside('empty-dir'))).toEqual([]);
    execFileSync('rm', ['-rf', folder]);
  });

  it('takes what `git archive` makes, with its header for the whole archive', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'berth-git-'));
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args]);
    git('init', '-q');
    write(join(folder, 'src/x'), 'x');
    git('add', '.');
    git('commit', '-q', '-m', 'x');
    const body = git('archive', 'HEAD');
    expect((await agent.call('PUT', '/files.tar', { body })).status).toBe(200);
    expect(contents(agent.root)).toEqual({ 'src/x': 'x' });
    execFileSync('rm', ['-rf', folder]);
  });

  it('replaces files, and a link rather than what it points to', async () => {
    write(inside('target'), 'kept');
    symlinkSync('target', inside('a.txt'));
    write(inside('dir/b'), 'old');
    const folder = mkdtempSync(join(tmpdir(), 'berth-tar-'));
    for (const name of ['a.txt', 'dir/b']) write(join(folder, name), 'new');
    const body = execFileSync('tar', ['-c', '-C', folder, '.']);
    expect((await agent.call('PUT', '/files.tar', { body })).status).toBe(200);
    expect(contents(agent.root)).toEqual({ target: 'kept', 'a.txt': 'new', 'dir/b': 'new' });
    execFileSync('rm', ['-rf', folder]);
  });
});
