import { describe, expect, it } from 'vitest';
import { listFiles, listFolder } from '../../../runtime/cli/conversation/list-folder.ts';
import { parsePlace } from '../../../runtime/cli/conversation/place.ts';
import {
  filesBelow,
  leadsOut,
  localTarget,
  remoteTarget,
} from '../../../runtime/cli/conversation/plan-copy.ts';
import { languageOf } from '../../../runtime/cli/conversation/script.ts';

const remote = (text: string) => {
  const place = parsePlace(text);
  if (place.kind !== 'remote') throw new Error(`${text} is ${place.kind}`);
  return place;
};
const file = (path: string, size = 1, modified_at = '2026-01-01T00:00:00.000Z') => ({
  path,
  size,
  modified_at,
  sha256: '0'.repeat(64),
  mode: 0o644,
});

describe('a place', () => {
  it.each([
    ['a.txt', { kind: 'local', path: 'a.txt' }],
    ['./a:b', { kind: 'local', path: './a:b' }],
    ['/tmp/a:b', { kind: 'local', path: '/tmp/a:b' }],
    [':a', { kind: 'local', path: ':a' }],
    ['-', { kind: 'stream' }],
    ['c:', { kind: 'remote', conversation: 'c', path: '', folder: true }],
    ['c:.', { kind: 'remote', conversation: 'c', path: '', folder: true }],
    ['c:/workspace', { kind: 'remote', conversation: 'c', path: '', folder: true }],
    ['c:a//b/./c', { kind: 'remote', conversation: 'c', path: 'a/b/c', folder: false }],
    ['c:/workspace/a/', { kind: 'remote', conversation: 'c', path: 'a', folder: true }],
    ['c:a:b', { kind: 'remote', conversation: 'c', path: 'a:b', folder: false }],
  ])('%s', (text, place) => {
    expect(parsePlace(text)).toEqual(place);
  });

  it.each(['c:/etc/passwd', 'c:../x', 'c:a/../../x', ''])('%j is none', (text) => {
    expect(() => parsePlace(text)).toThrow();
  });
});

describe('a copy', () => {
  it.each([
    ['a.txt', 'c:', 'a.txt'],
    ['dir/a.txt', 'c:in/', 'in/a.txt'],
    ['dir/a.txt', 'c:b.txt', 'b.txt'],
    ['src/', 'c:', 'src'],
    ['src/.', 'c:', ''],
    ['.', 'c:in/', 'in'],
    ['..', 'c:', ''],
    ['.hidden', 'c:', '.hidden'],
  ])('of %s to %s is %s there', (from, to, target) => {
    expect(remoteTarget(from, remote(to))).toBe(target);
  });

  it('out goes into a folder that is there, or to the name that is given', () => {
    expect(localTarget('a/b.txt', 'here', true)).toBe('here/b.txt');
    expect(localTarget('a/b.txt', 'here', false)).toBe('here');
  });

  it('of a folder is of all below it, and of nothing beside it', () => {
    const files = ['src/a', 'src/b/c', 'srcs', 'other'].map((path) => file(path));
    expect(filesBelow(files, 'src').map(({ rest }) => rest)).toEqual(['a', 'b/c']);
    expect(filesBelow(files, 'srcs').map(({ rest }) => rest)).toEqual(['']);
    expect(filesBelow(files, '')).toHaveLength(4);
    expect(filesBelow(files, 'sr')).toEqual([]);
  });

  it.each(['../x', 'a/../../x', '/etc/passwd', 'a\0b', '..'])('never leads out of its folder: %j', (rest) => {
    expect(leadsOut(rest)).toBe(true);
  });

  it.each(['a', '..a/b', 'a/b..', '...'])('stays there: %j', (rest) => {
    expect(leadsOut(rest)).toBe(false);
  });
});

describe('a list of files', () => {
  const files = filesBelow(
    [
      file('b.txt', 5),
      file('a/x', 1, '2026-01-02T00:00:00.000Z'),
      file('a/y/z', 2, '2026-01-03T00:00:00.000Z'),
    ],
    '',
  );

  it('shows folders with all that is in them', () => {
    expect(listFolder(files)).toEqual([
      { name: 'a/', size: 3, modifiedAt: '2026-01-03T00:00:00.000Z' },
      { name: 'b.txt', size: 5, modifiedAt: '2026-01-01T00:00:00.000Z' },
    ]);
  });

  it('shows everything, or a single file', () => {
    expect(listFiles(files).map(({ name }) => name)).toEqual(['a/x', 'a/y/z', 'b.txt']);
    expect(listFolder(filesBelow([file('a/x')], 'a/x')).map(({ name }) => name)).toEqual(['a/x']);
  });
});

describe('the language of a script', () => {
  it.each([
    ['a.py', '', 'code/python'],
    ['a.SH', '', 'code/bash'],
    ['a.mjs', '', 'code/node'],
    ['a.sh', '#!/usr/bin/env python3', undefined],
    ['prompt.txt', '', undefined],
    ['Makefile', '', undefined],
  ])('%s that begins with %j: %s', (name, text, language) => {
    expect(languageOf(name, text)).toBe(language);
  });
});
