import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tarFile } from '../../../runtime/containers/tar-file.ts';
import { TarEntries } from '../../../runtime/workspaces/tar-entries.ts';

describe('the count of the entries of a tar archive', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'berth-tar-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const tar = (...args: string[]) =>
    execFileSync('tar', ['-C', folder, '--format=posix', '--sparse', '-cf', '-', ...args, '.']);

  it('has the top folder, and is 1 for an empty one', async () => {
    expect(await counted(tar())).toBe(1);
  });

  it('takes links, long names, holes and large sizes for one each', async () => {
    writeFileSync(join(folder, 'file'), 'x'.repeat(5000));
    linkSync(join(folder, 'file'), join(folder, 'hard'));
    symlinkSync('t'.repeat(300), join(folder, 'soft'));
    mkdirSync(join(folder, 'd'.repeat(200), 'e'.repeat(200)), { recursive: true });
    writeFileSync(join(folder, 'd'.repeat(200), 'e'.repeat(200), 'f'.repeat(200)), '');
    writeFileSync(join(folder, 'holes'), 'before');
    truncateSync(join(folder, 'holes'), 9 * 1024 ** 3);
    expect(await counted(tar())).toBe(8);
    expect(await counted(tar(), 1)).toBe(8);
    expect(await counted(tar(), 511)).toBe(8);
  });

  it('is not misled by a name that holds what looks like a record', async () => {
    for (const name of ['\n13 size=999\n', '\n9 size=9\nx']) {
      writeFileSync(join(folder, 'n'.repeat(120) + name), 'short');
    }
    expect(await counted(tar())).toBe(3);
  });

  it('believes a size that an extended header gives', async () => {
    writeFileSync(join(folder, 'file'), 'x'.repeat(1500));
    const said = (size: string) =>
      execFileSync('tar', ['-C', folder, '--format=posix', `--pax-option=size:=${size}`, '-cf', '-', 'file']);
    expect(await counted(said('1500'))).toBe(1);
    await expect(counted(said('5000000'))).rejects.toThrow('cut short');
    await expect(counted(said('many'))).rejects.toThrow('a size that is none');
  });

  it('needs the end', async () => {
    writeFileSync(join(folder, 'file'), 'x'.repeat(1500));
    const whole = tar();
    for (const length of [0, 511, 512, 1024, 2000]) {
      await expect(counted(whole.subarray(0, length))).rejects.toThrow('cut short');
    }
  });

  it('finds a header that is none', async () => {
    const broken = tarFile('name', 'text');
    expect(await counted(broken)).toBe(1);
    broken.writeUInt8(broken.readUInt8(0) ^ 1, 0);
    await expect(counted(broken)).rejects.toThrow('a broken header');
    await expect(counted(Buffer.from('x'.repeat(2000)))).rejects.toThrow('a broken header');
  });
});

async function counted(bytes: Buffer, pieceBytes = bytes.length): Promise<number> {
  const pieces = function* () {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
  };
  const entries = new TarEntries();
  await pipeline(Readable.from(pieces()), entries);
  return entries.count;
}
