import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { FAIL_ONCE } from './fail-once.ts';
import { makeProvider, type ResourceKind } from './provider.ts';
import { secretValue } from './wire-values.ts';

const UNKNOWN = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';
const thing: ResourceKind<{ name?: string; size?: number; word?: string }> = {
  inputs: ['name', 'size', 'word'],
  named: true,
  create: async ({ word }) => ({ id: `of ${word}`, properties: { made: true } }),
  async delete() {},
};
const provider = makeProvider('test', '1.0.0', { 'test:index:Thing': thing });
const urn = 'urn:pulumi:dev::project::berth:index:Platform$test:index:Thing::agents';
afterEach(() => vi.unstubAllEnvs());

describe('a provider of the tests', () => {
  it('refuses a type that it does not have, and a function', async () => {
    const another = urn.replace('Thing', 'Other');
    await expect(provider.check(another, undefined, {})).rejects.toThrow('has no test:index:Other');
    await expect(provider.create(another, {})).rejects.toThrow('has no test:index:Other');
    await expect(provider.invoke('test:index:look', {})).rejects.toThrow('has no function test:index:look');
  });

  it('refuses an input that it does not know, by its name', async () => {
    const { failures } = await provider.check(urn, undefined, { size: 1, colour: 'red' });
    expect(failures).toMatchObject([{ property: 'colour' }]);
  });

  it('makes up a name once, and keeps the one it is given', async () => {
    const { inputs } = await provider.check(urn, undefined, {});
    expect(inputs.name).toMatch(/^agents-[0-9a-f]{7}$/);
    expect((await provider.check(urn, inputs, {})).inputs).toEqual(inputs);
    expect((await provider.check(urn, inputs, { name: 'mine' })).inputs.name).toBe('mine');
  });

  it('sees a change in a value, marked or not, and in one that is not known yet', async () => {
    const diff = (olds: object, news: object) => provider.diff('id', urn, olds, news);
    expect(await diff({ word: secretValue('a'), made: true }, { word: 'a' })).toEqual({
      changes: false,
      replaces: [],
    });
    expect(await diff({ word: 'a', size: 1 }, { word: secretValue('b'), size: 1 })).toEqual({
      changes: true,
      replaces: ['word'],
    });
    expect(await diff({ word: 'a' }, { word: secretValue(UNKNOWN) })).toMatchObject({ changes: true });
  });

  it('changes in place what can be, and makes another for the inputs that want it', async () => {
    const changeable = { ...thing, named: 'word', replacing: ['size'], update: async () => ({}) } as const;
    const other = makeProvider('test', '1.0.0', { 'test:index:Thing': changeable });
    expect(await other.diff('id', urn, { word: 'a', size: 1 }, { word: 'b', size: 2 })).toEqual({
      changes: true,
      replaces: ['size'],
    });
    expect((await other.check(urn, undefined, {})).inputs).toEqual({
      word: expect.stringMatching(/^agents-[0-9a-f]{7}$/),
    });
  });

  it('answers the functions that it has', async () => {
    const asked = makeProvider('test', '1.0.0', {}, { 'test:index:look': ({ at }) => ({ seen: at }) });
    expect(await asked.invoke('test:index:look', { at: 1 })).toEqual({ outputs: { seen: 1 } });
  });

  it('works with secrets in the clear and gives them back marked', async () => {
    expect(await provider.create(urn, { word: secretValue('a') })).toEqual({
      id: 'of a',
      outs: { word: secretValue('a'), made: true },
    });
  });

  it('fails once to make what it is told to', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'berth-fail-once-')), 'name');
    vi.stubEnv(FAIL_ONCE, file);
    writeFileSync(file, '::another');
    await provider.create(urn, {});
    writeFileSync(file, '::agents');
    await expect(provider.create(urn, {})).rejects.toThrow('told to fail');
    await provider.create(urn, {});
  });
});
