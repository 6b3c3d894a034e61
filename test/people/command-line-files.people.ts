import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CommandDesk } from '../support/command-desk.ts';
import { describeWith } from '../support/services/provided.ts';

/** Colours, and nothing else that a terminal obeys. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const COLOURS = /\u001b\[\d+m/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const STEERING = /[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

describeWith('bubblewrap', 'files on the command line', () => {
  let desk: CommandDesk;
  beforeAll(async () => {
    desk = await CommandDesk.open();
  });
  afterAll(() => desk?.[Symbol.asyncDispose]());

  it('copies both ways: bytes, folders, names of any kind, pipes', async () => {
    const bytes = randomBytes(3_000_000);
    writeFileSync(desk.at('in.bin'), bytes);
    expect(await desk.call(['cp', 'in.bin', 'files:data/'])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect((await desk.call(['cp', 'files:data/in.bin', 'out.bin'])).code).toBe(0);
    expect(readFileSync(desk.at('out.bin')).equals(bytes)).toBe(true);

    const names = [
      'plain.txt',
      'with space',
      'ünï',
      '日本.txt',
      'quote\'"',
      '-dash',
      'a\nb',
      'red\u001b[31m',
      'deep/er/x',
    ];
    mkdirSync(desk.at('tree/deep/er'), { recursive: true });
    for (const name of names) writeFileSync(desk.at('tree', name), `of ${name}`);
    symlinkSync('plain.txt', desk.at('tree/link'));
    const copied = await desk.call(['cp', '-r', 'tree', 'files:']);
    expect(copied.code, copied.stderr).toBe(0);
    expect(copied.stderr).toBe('berth: left out "tree/link": no file\n');
    await desk.call([
      'exec',
      'files',
      'sh',
      '-c',
      'chmod 755 tree/plain.txt; ln -s plain.txt tree/out; printf "\\0\\377" > tree/raw',
    ]);
    expect((await desk.call(['cp', '-r', 'files:tree', 'back'])).code).toBe(0);
    for (const name of names) expect(readFileSync(desk.at('back', name), 'utf8')).toBe(`of ${name}`);
    expect(statSync(desk.at('back/plain.txt')).mode & 0o777).toBe(0o755);
    expect(readFileSync(desk.at('back/raw'))).toEqual(Buffer.from([0, 255]));
    expect(existsSync(desk.at('back/out'))).toBe(false);
    mkdirSync(desk.at('there'));
    expect((await desk.call(['cp', '-r', 'files:tree', 'there'])).code).toBe(0);
    expect(readFileSync(desk.at('there/tree/deep/er/x'), 'utf8')).toBe('of deep/er/x');
    expect(
      readdirSync(desk.folder, { recursive: true }).filter((name) => String(name).endsWith('.part')),
    ).toEqual([]);

    expect((await desk.call(['cp', '-', 'files:piped.txt'], 'from a pipe')).code).toBe(0);
    expect((await desk.call(['cp', 'files:piped.txt', '-'])).stdout).toBe('from a pipe');
    expect((await desk.call(['rm', 'files:piped.txt'])).code).toBe(0);
    expect(await desk.call(['cp', 'files:piped.txt', 'x'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('FILE_NOT_FOUND'),
    });
    for (const args of [
      ['tree', 'files:'],
      ['none', 'files:'],
      ['a', 'b'],
      ['files:a', 'files:b'],
      ['files:../x', '.'],
    ])
      expect(await desk.call(['cp', ...args])).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/^berth cp: .+\n$/),
      });
  });

  it('lists files, with names that no terminal obeys', async () => {
    const { files } = await desk.json(['ls', 'files:tree']);
    expect(files.map(({ path }: { path: string }) => path)).toEqual(
      expect.arrayContaining(['tree/a\nb', 'tree/red\u001b[31m']),
    );
    const { stdout } = await desk.call(['ls', 'files:tree']);
    expect(stdout).toContain(' a\\nb\n');
    expect(stdout).toContain(' red\\x1b[31m\n');
    expect(stdout).toMatch(/^ *12 B +\S+ +deep\/$/m);
    const { shown } = await desk.atTerminal(['ls', '-R', 'files'], {}, 40);
    expect(shown).toMatch(COLOURS);
    const plain = shown.replaceAll(COLOURS, '');
    expect(plain).not.toMatch(STEERING);
    for (const line of plain.split('\r\n')) expect([...line].length, line).toBeLessThanOrEqual(40);
    expect(await desk.call(['ls', 'files:none'])).toMatchObject({
      code: 1,
      stderr: 'berth: there is no "none" in files\n',
    });
    expect((await desk.call(['ls', 'nobody-has-used-this'])).code).toBe(1);
  });
});
