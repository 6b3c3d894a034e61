import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunningAgent, TOKEN } from './running-agent.ts';

let agent: RunningAgent;
beforeAll(async () => {
  agent = await RunningAgent.start();
});
afterAll(() => agent.stop());

const url = (path: string) => `/files/${path.split('/').map(encodeURIComponent).join('/')}`;
const put = (path: string, body: string | Buffer | Readable, query = '') =>
  agent.call('PUT', url(path) + query, { body });
const get = (path: string) => agent.call('GET', url(path));
function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // closed meanwhile
  }
}
const inside = (path: string) => join(agent.root, path);

describe('a file', () => {
  it('is written, makes its folders, is read, replaced and deleted', async () => {
    expect((await put('a/b/c.txt', 'one')).status).toBe(204);
    expect((await put('a/b/c.txt', 'two!')).status).toBe(204);
    const { status, body, headers } = await get('a/b/c.txt');
    expect([status, body.toString(), headers['content-length']]).toEqual([200, 'two!', '4']);
    expect((await agent.call('DELETE', url('a/b/c.txt'))).status).toBe(204);
    expect((await get('a/b/c.txt')).json.code).toBe('FILE_NOT_FOUND');
    expect(readdirSync(inside('a/b'))).toEqual([]);
  });

  it('may be empty, and asked about with HEAD', async () => {
    await put('empty', '');
    await put('five', '12345');
    expect((await get('empty')).body.length).toBe(0);
    const head = await agent.call('HEAD', url('five'));
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([200, '5', 0]);
    expect((await agent.call('HEAD', url('nothing'))).status).toBe(404);
  });

  it.each([
    'quote\'"`$ name',
    'new\nline',
    ' spaces ',
    'Grüße-日本-🎉',
    '%41',
    '#?&=+',
    '-rf',
    '\\back',
    '*',
    '...',
  ])('may be called %j', async (name) => {
    expect((await put(`odd/${name}`, name)).status).toBe(204);
    expect(readFileSync(inside(`odd/${name}`), 'utf8')).toBe(name);
    expect((await get(`odd/${name}`)).body.toString()).toBe(name);
    expect((await agent.call('DELETE', url(`odd/${name}`))).status).toBe(204);
  });

  it('called `changes` is reached by encoding a letter of it', async () => {
    await put('changes', 'x');
    expect((await agent.call('GET', '/files/%63hanges')).body.toString()).toBe('x');
    expect((await agent.call('DELETE', '/files/changes')).status).toBe(204);
  });

  it('has the permissions asked for, keeps those it had, and begins with 644', async () => {
    const mode = (path: string) => (statSync(inside(path)).mode & 0o777).toString(8);
    await put('run.sh', 'x', '?mode=755');
    expect(mode('run.sh')).toBe('755');
    await put('run.sh', 'y');
    expect(mode('run.sh')).toBe('755');
    await put('plain', 'x');
    expect(mode('plain')).toBe('644');
    for (const bad of ['4755', '8', 'rwx', '']) {
      expect((await put('plain', 'z', `?mode=${bad}`)).json.code).toBe('INVALID_REQUEST');
    }
    expect((await get('plain')).body.toString()).toBe('x');
  });

  it('of many megabytes goes both ways without being held in memory', async () => {
    const megabyte = Buffer.alloc(1024 * 1024, 'x');
    const before = agent.anonymousMemory();
    expect((await put('big', Readable.from(Array(200).fill(megabyte)))).status).toBe(204);
    const res = await agent.open('GET', '/files/big');
    let size = 0;
    for await (const chunk of res) size += chunk.length;
    expect(size).toBe(200 * 1024 * 1024);
    // Node collects the chunks of a body once they make 64 MB.
    expect(agent.anonymousMemory() - before).toBeLessThan(90_000);
  });

  it('is not touched by an upload that breaks off', async () => {
    await put('folder/kept', 'old');
    const req = request({
      socketPath: agent.socket,
      method: 'PUT',
      path: '/files/folder/kept',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-length': '1000' },
    });
    req.on('error', () => {});
    req.write('half of it');
    await expect.poll(() => readdirSync(inside('folder')).length).toBe(2);
    req.destroy();
    await expect.poll(() => readdirSync(inside('folder'))).toEqual(['kept']);
    expect((await get('folder/kept')).body.toString()).toBe('old');
  });

  it('is closed when its reader leaves', async () => {
    writeFileSync(inside('left'), Buffer.alloc(30 * 1024 * 1024));
    const open = () =>
      readdirSync(`/proc/${agent.pid}/fd`).filter(
        (fd) => linkOf(`/proc/${agent.pid}/fd/${fd}`) === inside('left'),
      );
    const res = await agent.open('GET', '/files/left');
    await once(res, 'readable');
    expect(open().length).toBe(1);
    res.destroy();
    await expect.poll(open).toEqual([]);
  });

  it('that shrinks while it is read breaks the download off', async () => {
    writeFileSync(inside('shrinking'), Buffer.alloc(30 * 1024 * 1024));
    const res = await agent.open('GET', '/files/shrinking');
    await once(res, 'readable');
    truncateSync(inside('shrinking'), 1024);
    await expect(res.resume().toArray()).rejects.toThrow('aborted');
  });
});

describe('a hostile path', () => {
  it.each([
    ['nothing', ''],
    ['a way up', '../outside/secret'],
    ['an encoded way up', '%2e%2e/outside/secret'],
    ['an encoded slash in it', '..%2foutside%2fsecret'],
    ['a way up in the middle', 'a/../../outside/secret'],
    ['a way up at the end', 'a/..'],
    ['a dot', './a'],
    ['an absolute path', '/etc/passwd'],
    ['an encoded absolute path', '%2fetc%2fpasswd'],
    ['an empty segment', 'a//b'],
    ['a slash at the end', 'a/'],
    ['a NUL', 'a%00b'],
    ['bytes that are no UTF-8', 'a%ff'],
    ['half a surrogate', 'a%ed%a0%80'],
    ['a broken escape', 'a%zz'],
    ['a name of 256 bytes', 'n'.repeat(256)],
    ['a name of 258 bytes in 86 characters', encodeURIComponent('日'.repeat(86))],
    ['5000 bytes', `${'ab/'.repeat(1666)}ab`],
    ['the name of a file being written', '.berth-0123456789abcdef.tmp'],
  ])('with %s is refused', async (_name, path) => {
    writeFileSync(join(agent.outside, 'secret'), 'secret');
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const { status, json } = await agent.call(
        method,
        `/files/${path}`,
        method === 'PUT' ? { body: 'x' } : {},
      );
      expect([method, status, json.code]).toEqual([method, 400, 'INVALID_PATH']);
    }
    expect(readFileSync(join(agent.outside, 'secret'), 'utf8')).toBe('secret');
  });

  it.each(['../outside', '/etc', '', 'a//b', 'a%00'])('is refused in an archive too: %j', async (path) => {
    const { status, json } = await agent.call('GET', `/files.tar?paths=${path}`);
    expect([status, json.code]).toEqual([400, 'INVALID_PATH']);
  });

  it('that is no directory where one is needed, or is one, is refused', async () => {
    await put('file', 'x');
    mkdirSync(inside('directory'), { recursive: true });
    const codeOf = async (method: string, path: string) => (await agent.call(method, path)).json.code;
    expect(await codeOf('PUT', '/files/file/below')).toBe('INVALID_PATH');
    expect(await codeOf('GET', '/files/file/below')).toBe('FILE_NOT_FOUND');
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect(await codeOf(method, '/files/directory')).toBe('INVALID_PATH');
    }
    expect(await codeOf('DELETE', '/files/nothing')).toBe('FILE_NOT_FOUND');
    expect(await codeOf('DELETE', '/files/no/thing')).toBe('FILE_NOT_FOUND');
    expect(readdirSync(inside('directory'))).toEqual([]);
  });
});

describe('a link', () => {
  it('within the workspace is followed for reading, and replaced or deleted itself', async () => {
    await put('real/file', 'content');
    symlinkSync('real/file', inside('to-file'));
    symlinkSync('real', inside('to-directory'));
    expect((await get('to-file')).body.toString()).toBe('content');
    expect((await get('to-directory/file')).body.toString()).toBe('content');
    expect((await put('to-directory/new', 'n')).status).toBe(204);
    expect(readFileSync(inside('real/new'), 'utf8')).toBe('n');
    expect((await put('to-file', 'own')).status).toBe(204);
    expect(readFileSync(inside('real/file'), 'utf8')).toBe('content');
    expect((await agent.call('DELETE', '/files/to-directory')).status).toBe(204);
    expect(existsSync(inside('real/file'))).toBe(true);
  });

  it('that leads out is never followed, wherever in the path it is', async () => {
    writeFileSync(join(agent.outside, 'secret'), 'secret');
    symlinkSync(join(agent.outside, 'secret'), inside('out-file'));
    symlinkSync('../outside', inside('out-directory'));
    symlinkSync('/', inside('out-root'));
    symlinkSync('out-directory', inside('out-twice'));
    const refused = async (method: string, path: string) => {
      const { status, json } = await agent.call(method, path, method === 'PUT' ? { body: 'x' } : {});
      expect([method, path, status, json?.code]).toEqual([method, path, 400, 'INVALID_PATH']);
    };
    await refused('GET', '/files/out-file');
    await refused('GET', '/files/out-root/etc/passwd');
    for (const link of ['out-directory', 'out-twice']) {
      for (const method of ['GET', 'PUT', 'DELETE']) await refused(method, `/files/${link}/secret`);
      await refused('PUT', `/files/${link}/new`);
      await refused('PUT', `/files/${link}/deep/new`);
      await refused('GET', `/files.tar?paths=${link}`);
      await refused('GET', `/files.tar?paths=${link}/secret`);
    }
    expect(readdirSync(agent.outside)).toEqual(['secret']);
    expect(readFileSync(join(agent.outside, 'secret'), 'utf8')).toBe('secret');
  });

  it('to itself or to nothing is refused', async () => {
    symlinkSync('loop', inside('loop'));
    symlinkSync('missing', inside('dangling'));
    expect((await get('loop')).json.code).toBe('INVALID_PATH');
    expect((await get('dangling')).json.code).toBe('FILE_NOT_FOUND');
    expect((await put('dangling/file', 'x')).json.code).toBe('INVALID_PATH');
  });
});

describe('what is no regular file', () => {
  it('is refused at once, and never waited for', async () => {
    execFileSync('mkfifo', [inside('fifo')]);
    symlinkSync('/dev/zero', inside('zero'));
    expect((await get('fifo')).json.code).toBe('INVALID_PATH');
    expect((await get('zero')).json.code).toBe('INVALID_PATH');
    expect((await agent.call('GET', '/files.tar?paths=fifo')).json.code).toBe('INVALID_PATH');
    expect((await put('fifo', 'now a file')).status).toBe(204);
    expect((await get('fifo')).body.toString()).toBe('now a file');
  });
});
