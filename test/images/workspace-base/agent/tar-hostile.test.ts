import { execFileSync } from 'node:child_process';
import { readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { encodeHeader } from '../../../../images/workspace-base/agent/tar/header.ts';
import { encodePax } from '../../../../images/workspace-base/agent/tar/pax.ts';
import { TAR_END } from '../../../../images/workspace-base/agent/tar/write-tar.ts';
import { RunningAgent } from './running-agent.ts';

let agent: RunningAgent;
beforeAll(async () => {
  agent = await RunningAgent.start();
});
afterAll(() => agent.stop());
beforeEach(() => execFileSync('find', [agent.root, '-mindepth', '1', '-delete']));

interface Crafted {
  path?: string;
  type?: string;
  size?: number;
  content?: string | Buffer;
}

/** One entry that says what it likes. */
function entry({ path = 'f', type = '0', content = '', size }: Crafted): Buffer {
  const bytes = Buffer.from(content);
  const header = encodeHeader({
    path: Buffer.from(path),
    type,
    size: size ?? bytes.length,
    mode: 0o644,
    modifiedAt: 0,
  });
  if (!header) throw new Error('it does not fit a header');
  return Buffer.concat([header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
}

const archive = (...entries: Buffer[]) => Buffer.concat([...entries, TAR_END]);
const send = async (body: Buffer) => {
  const { status, json } = await agent.call('PUT', '/files.tar', { body });
  return [status, json.code];
};
/** Without what archivers put around a path. */
const bare = (path: string) => path.replace(/^\.\//, '').replace(/\/$/, '');
const written = () => readdirSync(agent.root, { recursive: true });

/** A header changed after it was made, its checksum put right. */
function patched(block: Buffer, at: number, bytes: string): Buffer {
  const copy = Buffer.from(block);
  copy.write(bytes, at, 'latin1');
  copy.write('        ', 148);
  const sum = copy.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  copy.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return copy;
}

describe('a hostile archive', () => {
  it.each([
    ['a way up', { path: '../x' }],
    ['a way up further in', { path: 'a/../../x' }],
    ['a way up after ./', { path: './../x' }],
    ['an absolute path', { path: '/tmp/berth-abs' }],
    ['an absolute path after ./', { path: './/tmp/berth-abs' }],
    ['an empty path', { path: '' }],
    ['an empty segment', { path: 'a//b' }],
    ['a file that ends in a slash', { path: 'a/' }],
    ['a directory with a way up', { path: '../d/', type: '5' }],
    ['the name of a file being written', { path: '.berth-0123456789abcdef.tmp' }],
    ['a hard link', { type: '1' }],
    ['a symbolic link', { type: '2' }],
    ['a character device', { type: '3' }],
    ['a block device', { type: '4' }],
    ['a FIFO', { type: '6' }],
    ['a sparse file', { type: 'S' }],
    ['something unknown', { type: 'Z' }],
  ])('with %s is refused, and the entry named', async (_name, crafted) => {
    const { status, json } = await agent.call('PUT', '/files.tar', { body: archive(entry(crafted)) });
    expect([status, json.code]).toEqual([400, 'INVALID_PATH']);
    expect(json.message).toContain('path' in crafted ? bare(crafted.path) : 'f');
    expect(written()).toEqual([]);
    expect(readdirSync(agent.outside)).toEqual([]);
  });

  it('cannot get out by a longer name either', async () => {
    const pax = entry({ type: 'x', path: 'pax', content: encodePax({ path: '../../x' }) });
    expect(await send(archive(pax, entry({})))).toEqual([400, 'INVALID_PATH']);
    const gnu = entry({ type: 'L', path: '././@LongLink', content: `../${'x'.repeat(200)}\0` });
    expect(await send(archive(gnu, entry({})))).toEqual([400, 'INVALID_PATH']);
    const notUtf8 = patched(entry({ path: 'aX' }), 1, '\xff');
    expect(await send(archive(notUtf8))).toEqual([400, 'INVALID_PATH']);
    expect(written()).toEqual([]);
  });

  it('cannot write through a link that leads out', async () => {
    symlinkSync(agent.outside, join(agent.root, 'link'));
    expect(await send(archive(entry({ path: 'link/x', content: 'x' })))).toEqual([400, 'INVALID_PATH']);
    expect(await send(archive(entry({ path: 'link/d/', type: '5' })))).toEqual([400, 'INVALID_PATH']);
    expect(await send(archive(entry({ path: 'link/', type: '5' })))).toEqual([400, 'INVALID_PATH']);
    expect(readdirSync(agent.outside)).toEqual([]);
  });

  it.each([
    ['says more bytes than there are', entry({ size: 5000, content: 'short' })],
    ['says a great many bytes', patched(entry({}), 124, '77777777777')],
    ['says more than any number', patched(entry({}), 124, `\x80${'\xff'.repeat(11)}`)],
    ['says a negative size', patched(entry({}), 124, '\xff'.repeat(12))],
    ['says nonsense for a size', patched(entry({}), 124, 'nonsense   ')],
    ['says fewer bytes than there are', archive(entry({ size: 1, content: 'x'.repeat(2000) }))],
    [
      'has a size in a pax header that is no number',
      archive(entry({ type: 'x', content: '12 size=-1x\n' }), entry({})),
    ],
    [
      'has a pax header that lies about its length',
      archive(entry({ type: 'x', content: '99 path=x\n' }), entry({})),
    ],
    ['has a huge pax header', archive(entry({ type: 'x', size: 10_000_000 }))],
    ['has a huge long name', archive(entry({ type: 'L', size: 10_000_000 }))],
    ['has a directory with a content', archive(entry({ type: '5', path: 'd/', content: 'x' }))],
    ['has a wrong checksum', archive(Buffer.from(entry({}).fill('y', 0, 1)))],
    ['is no archive', Buffer.alloc(2000, 'no archive ')],
    ['ends in a header', entry({}).subarray(0, 300)],
    ['has no end', entry({ content: 'x' })],
    ['is empty', Buffer.alloc(0)],
  ])('that %s is refused, and leaves no half file', async (_name, body) => {
    expect(await send(body)).toEqual([400, 'INVALID_REQUEST']);
    expect(written().filter((name) => name !== 'f')).toEqual([]);
    expect((await agent.call('GET', '/health')).status).toBe(200);
  });

  it('keeps what came before the entry that is refused', async () => {
    const body = archive(
      entry({ path: 'good', content: 'x' }),
      entry({ path: '../bad' }),
      entry({ path: 'after' }),
    );
    expect(await send(body)).toEqual([400, 'INVALID_PATH']);
    expect(written()).toEqual(['good']);
  });

  it('may have anything after its end', async () => {
    const body = Buffer.concat([
      archive(entry({ path: 'good' })),
      entry({ path: '../bad' }),
      Buffer.alloc(100_000, 1),
    ]);
    expect((await agent.call('PUT', '/files.tar', { body })).status).toBe(200);
    expect(written()).toEqual(['good']);
  });
});
