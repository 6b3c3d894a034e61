import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FileManifest } from '../../../../runtime/contracts/agent-protocol.ts';
import { RunningAgent } from './running-agent.ts';

let agent: RunningAgent;
beforeAll(async () => {
  agent = await RunningAgent.start();
});
afterAll(() => agent.stop());
beforeEach(() => execFileSync('find', [agent.root, '-mindepth', '1', '-delete']));

const inside = (path: string) => join(agent.root, path);
const manifest = async (query = ''): Promise<FileManifest> =>
  (await agent.call('GET', `/files${query}`)).json;
const paths = async (query = '') => (await manifest(query)).files.map(({ path }) => path).sort();

describe('the manifest', () => {
  it('of an empty workspace is empty', async () => {
    expect(await manifest()).toEqual({ files: [], skipped: [], truncated: false });
  });

  it('tells size, hash, permissions and time of every regular file', async () => {
    mkdirSync(inside('a/b'), { recursive: true });
    writeFileSync(inside('a/b/c'), 'content');
    chmodSync(inside('a/b/c'), 0o750);
    utimesSync(inside('a/b/c'), 1, 1_700_000_000.5);
    writeFileSync(inside('empty'), '');
    writeFileSync(inside('big'), Buffer.alloc(3_000_000, 'x'));
    const { files } = await manifest();
    const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');
    expect(files.toSorted((a, b) => a.path.localeCompare(b.path))).toEqual([
      {
        path: 'a/b/c',
        size: 7,
        sha256: sha256('content'),
        mode: 0o750,
        modified_at: '2023-11-14T22:13:20.500Z',
      },
      expect.objectContaining({ path: 'big', size: 3_000_000, sha256: sha256('x'.repeat(3_000_000)) }),
      expect.objectContaining({ path: 'empty', size: 0, sha256: sha256('') }),
    ]);
  });

  it('names what it leaves out, and does not wait for it or follow it', async () => {
    execFileSync('mkfifo', [inside('fifo')]);
    symlinkSync(agent.outside, inside('link'));
    writeFileSync(join(agent.outside, 'secret'), 'secret');
    const { files, skipped } = await manifest();
    expect(files).toEqual([]);
    expect(skipped.toSorted((a, b) => a.path.localeCompare(b.path))).toEqual([
      { path: 'fifo', reason: 'not a regular file' },
      { path: 'link', reason: 'a link' },
    ]);
  });

  it('keeps odd names, and tells those that are no UTF-8 apart', async () => {
    const names = ['quote"\'', 'new\nline', 'Grüße 🎉', '\\xff', 'a\ufffd'];
    for (const name of names) writeFileSync(inside(name), name);
    writeFileSync(Buffer.concat([Buffer.from(inside('a')), Buffer.from([0xff])]), 'not UTF-8');
    mkdirSync(Buffer.concat([Buffer.from(inside('dir')), Buffer.from([0xe2, 0x82])]));
    const { files, skipped } = await manifest();
    expect(files.map(({ path }) => path).sort()).toEqual(names.toSorted());
    expect(skipped.toSorted((a, b) => a.path.localeCompare(b.path))).toEqual([
      { path: 'a\\xff', reason: 'the name is not UTF-8' },
      { path: 'dir\\xe2\\x82', reason: 'the name is not UTF-8' },
    ]);
    const wrong = await agent.call('GET', `/files/${encodeURIComponent('a\ufffd')}`);
    expect(wrong.body.toString()).toBe('a\ufffd');
  });

  it('bears times that no calendar has', async () => {
    writeFileSync(inside('future'), 'x');
    execFileSync('touch', ['-d', '@99999999999', inside('future')]);
    writeFileSync(inside('past'), 'x');
    execFileSync('touch', ['-d', '@-99999999', inside('past')]);
    expect(await paths()).toEqual(['future', 'past']);
  });

  it('survives a tree too deep to name, and tells where it stopped', async () => {
    const name = 'd'.repeat(250);
    const wrap = `mkdir next && mv ${name} next/ && mv next ${name}`; // from the inside out, by short names
    const script = `mkdir ${name}; echo x >${name}/deep; for i in $(seq 20); do ${wrap} || exit 1; done`;
    expect(await agent.sh(script)).toMatchObject({ exit_code: 0 });
    const { files, skipped } = await manifest();
    expect(files).toEqual([]);
    expect(skipped).toEqual([
      { path: expect.stringContaining(name), reason: expect.stringContaining('too long') },
    ]);
  });

  it('leaves out names that are excluded, at any depth', async () => {
    mkdirSync(inside('src/node_modules/x'), { recursive: true });
    for (const path of ['src/node_modules/x/y.js', 'src/a.py', 'src/a.pyc', 'src/xpyc', 'node_modules.txt']) {
      writeFileSync(inside(path), 'x');
    }
    expect(await paths('?exclude=node_modules&exclude=*.pyc')).toEqual([
      'node_modules.txt',
      'src/a.py',
      'src/xpyc',
    ]);
    expect(await paths('?exclude=s*c')).toEqual(['node_modules.txt']);
    expect(await paths('?exclude=*o*_*.t*t')).not.toContain('node_modules.txt');
    expect(await paths('?exclude=*')).toEqual([]);
  });

  it('ends at 50,000 entries and says so', async () => {
    const script = 'mkdir many; cd many; seq 1 50001 | xargs touch';
    expect(await agent.sh(script)).toMatchObject({ exit_code: 0 });
    const whole = await manifest();
    expect([whole.files.length, whole.truncated]).toEqual([50_000, true]);
    rmSync(inside('many/1'));
    const fits = await manifest();
    expect([fits.files.length, fits.truncated]).toEqual([50_000, false]);
  });

  it('lets other calls through while it works', async () => {
    await agent.sh('for i in 1 2 3 4; do head -c 200000000 /dev/zero >big$i; done');
    let done = false;
    const whole = manifest().finally(() => {
      done = true;
    });
    let answered = 0;
    while (!done) {
      await agent.call('GET', '/health');
      answered += 1;
    }
    expect((await whole).files.length).toBe(4);
    expect(answered).toBeGreaterThan(5);
  });
});
