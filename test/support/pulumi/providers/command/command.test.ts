import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeProvider } from '../provider.ts';
import { secretValue } from '../wire-values.ts';
import { command } from './command.ts';

const provider = makeProvider('command', '1.2.1', { 'command:local:Command': command });
const urn = 'urn:pulumi:dev::project::command:local:Command::agents';
const interpreter = ['/bin/sh', '-c', 'echo "$WORD $1" > "$FILE"; echo said >&2; exit "$CODE"', 'sh'];

describe('the provider command of the tests', () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-command-'));
  const FILE = join(folder, 'file');
  afterAll(() => rmSync(folder, { recursive: true }));

  it('runs nothing when it is made or changed, and never makes another', async () => {
    const inputs = { interpreter, environment: { FILE, CODE: '0' }, delete: 'last' };
    const { id, outs } = await provider.create(urn, inputs);
    const changed = { ...inputs, interpreter: ['/bin/false'], environment: { FILE } };
    expect(await provider.diff(id, urn, outs, changed)).toEqual({ changes: true, replaces: [] });
    await provider.update(id, urn, outs, changed);
    expect(() => readFileSync(FILE)).toThrow();
  });

  it('runs what it was last told when it goes, with the last word and its environment', async () => {
    const environment = { FILE, CODE: '0', WORD: secretValue('hidden') };
    await provider.delete('id', urn, { interpreter, environment, delete: "la'st" });
    expect(readFileSync(FILE, 'utf8')).toBe("hidden la'st\n");
  });

  it('fails with what was said', async () => {
    const environment = { FILE, CODE: '3' };
    const gone = provider.delete('id', urn, { interpreter, environment, delete: 'last' });
    await expect(gone).rejects.toThrow('exit status 3: running "last":\nsaid\n');
  });

  it('refuses what our stacks do not use', async () => {
    const { failures } = await provider.check(urn, undefined, { create: 'true', triggers: [] });
    expect(failures?.map(({ property }) => property)).toEqual(['create', 'triggers']);
  });
});
