import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashApiKey, parseApiKeys } from '../../../runtime/access/api-key.ts';
import { berth } from '../../support/berth-command.ts';

describe('berth', () => {
  it.each([
    ['--help'],
    ['start', '--help'],
    ['config', '--help'],
    ['keys', '--help'],
    ['keys', 'create', '--help'],
  ])('%s %s explains itself', async (...args) => {
    const { code, stdout } = await berth(args);
    expect(code).toBe(0);
    expect(stdout).toMatch(/berth/i);
  });

  it('tells its version', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
    expect((await berth(['--version'])).stdout.trim()).toBe(version);
  });

  it('has `up` for `start`', async () => {
    const [up, start] = [await berth(['up'], { PORT: 'x' }), await berth(['start'], { PORT: 'x' })];
    expect(up).toEqual(start);
    expect(up).toMatchObject({ code: 2, stderr: expect.stringContaining('PORT') });
  });

  it.each([
    [['dance']],
    [['toString']],
    [['start', '--fast']],
    [['keys', 'destroy']],
    [['keys']],
    [['up', 'x']],
    [[]],
  ])('%j exits 2', async (args) => {
    expect((await berth(args)).code).toBe(2);
  });
});

describe('berth start with a wrong configuration', () => {
  it('tells every problem, a line each, and exits 2', async () => {
    const { code, stderr } = await berth(['start'], {
      PORT: 'x',
      HOST: '0.0.0.0',
      REDIS_URL: 'redis://secret-host',
    });
    expect(code).toBe(2);
    const lines = stderr.trim().split('\n');
    expect(lines.length).toBeGreaterThanOrEqual(4);
    expect(lines.every((line) => line.startsWith('berth: '))).toBe(true);
    expect(stderr).not.toContain('secret-host');
  });
});

describe('berth config', () => {
  it('shows what is in force, but no secret', async () => {
    const secret = 'ab'.repeat(32);
    const { code, stdout } = await berth(['config'], { BERTH_SECRET: secret, PORT: '1234' });
    expect(code).toBe(0);
    expect(stdout).toContain('PORT=1234');
    expect(stdout).toContain('BERTH_SECRET=(set, not shown)');
    expect(stdout).toContain('HOST=(default: 127.0.0.1)');
    expect(stdout).not.toContain(secret);
  });

  it('is JSON for programs, without secrets, too', async () => {
    const { stdout } = await berth(['config', '--json'], { BERTH_SECRET: 'ab'.repeat(32), PORT: '1234' });
    const { PORT, HOST, BERTH_SECRET } = JSON.parse(stdout);
    expect(PORT).toMatchObject({ value: '1234', from: 'environment' });
    expect(HOST).toMatchObject({ value: '127.0.0.1', from: 'default' });
    expect(BERTH_SECRET).toMatchObject({ value: null, from: 'environment', secret: true });
  });

  it('exits 2 when something is wrong', async () => {
    expect((await berth(['config'], { PORT: 'x' })).code).toBe(2);
  });
});

describe('berth keys create', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'berth-keys-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('prints the key and adds its hash to the file', async () => {
    const file = join(folder, 'keys.json');
    const first = await berth(['keys', 'create', '--tenant', 'acme', '--file', file]);
    const second = await berth(['keys', 'create', '--tenant', 'ops', '--name', 'root', '--scope', 'admin'], {
      BERTH_API_KEYS_FILE: file,
    });
    const text = readFileSync(file, 'utf8');
    expect(parseApiKeys(text)).toMatchObject([
      { name: 'acme', tenant: 'acme', scope: 'use', sha256: hashApiKey(first.stdout.trim()) },
      { name: 'root', tenant: 'ops', scope: 'admin', sha256: hashApiKey(second.stdout.trim()) },
    ]);
    expect(text).not.toContain(first.stdout.trim());
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it.each(['', 'x'.repeat(101)])(
    'never writes what the service would refuse: a name like %j',
    async (name) => {
      const file = join(folder, 'keys.json');
      await berth(['keys', 'create', '--tenant', 'acme', '--file', file]);
      const before = readFileSync(file, 'utf8');
      expect((await berth(['keys', 'create', '--tenant', 'acme', '--name', name, '--file', file])).code).toBe(
        2,
      );
      expect(readFileSync(file, 'utf8')).toBe(before);
    },
  );

  it('keeps the mode that the file has', async () => {
    const file = join(folder, 'keys.json');
    writeFileSync(file, '[]');
    chmodSync(file, 0o640);
    await berth(['keys', 'create', '--tenant', 'acme', '--file', file]);
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  it('lists keys, and takes one back by its name or its SHA-256', async () => {
    const file = join(folder, 'keys.json');
    const make = (name: string) =>
      berth(['keys', 'create', '--tenant', 'acme', '--name', name, '--file', file]);
    const twins = [await make('twin'), await make('twin')].map(({ stdout }) => hashApiKey(stdout.trim()));
    await make('other');
    const listed = await berth(['keys', 'ls', '--file', file]);
    expect(
      listed.stdout.split('\n').filter((line) => /^twin +acme +use +[0-9a-f]{12} /.test(line)),
    ).toHaveLength(2);
    const revoke = (key: string) => berth(['keys', 'revoke', key], { BERTH_API_KEYS_FILE: file });
    expect(await revoke('twin')).toMatchObject({ code: 2, stderr: expect.stringContaining('2 keys') });
    expect((await revoke(twins[0]?.slice(0, 12) ?? '')).code).toBe(0);
    expect((await revoke('other')).code).toBe(0);
    expect(await revoke('other')).toMatchObject({ code: 2, stderr: expect.stringContaining('has no key') });
    const { keys } = JSON.parse((await berth(['keys', 'ls', '--json', '--file', file])).stdout);
    expect(keys).toMatchObject([{ name: 'twin', sha256: twins[1] }]);
  });

  it('without a file prints the entry beside the key', async () => {
    const { stdout, stderr } = await berth(['keys', 'create', '--tenant', 'acme']);
    expect(stderr).toContain(hashApiKey(stdout.trim()));
  });

  it.each([[['--tenant', 'No Good']], [['--tenant', 'a', '--scope', 'root']], [[]]])(
    'refuses %j',
    async (args) => {
      const { code, stderr } = await berth(['keys', 'create', ...args]);
      expect(code).toBe(2);
      expect(stderr).toMatch(/wants/);
    },
  );
});
