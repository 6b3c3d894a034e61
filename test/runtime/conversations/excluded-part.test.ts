import { expect, it } from 'vitest';
import { excludedPart } from '../../../runtime/conversations/excluded-part.ts';

const NAMES = ['node_modules', '*.pyc', '.cache', 'a+b', '*tmp*'];

it.each([
  ['src/main.py', undefined],
  ['node_modules/x.js', 'node_modules'],
  ['deep/node_modules/x.js', 'node_modules'],
  ['my_node_modules/x.js', undefined],
  ['a/b.pyc', 'b.pyc'],
  ['a/b.pyc.txt', undefined],
  ['.cache', '.cache'],
  ['xcache', undefined],
  ['a+b', 'a+b'],
  ['aab', undefined],
  ['x/atmpb/y', 'atmpb'],
])('of %s the part %s is left out', (path, part) => {
  expect(excludedPart(path, NAMES)).toBe(part);
});
