import { describe, expect, it } from 'vitest';
import {
  conversationContainerId,
  functionOfWorker,
  newWorkerId,
  parseAnyContainerId,
  parseContainerId,
  parseFunctionName,
  parseWorkerId,
  parseWorkspaceId,
  roleOfContainer,
  workspaceContainerId,
} from '../../../runtime/contracts/ids.ts';
import { must } from '../../support/must.ts';

const NAMES = ['a', '7', 'resize-images', 'a'.repeat(40), '0123456789ab', 'a-0123456789ab'];

describe('a function’s name', () => {
  it.each(NAMES)('may be %s', (name) => expect(parseFunctionName(name)).toBe(name));

  it.each(['', '-a', 'a-', 'A', 'a_b', 'a.b', 'a b', 'a/b', '../a', 'a\n', 'ä', 'a'.repeat(41)])(
    'may not be %j',
    (name) => expect(parseFunctionName(name)).toBeUndefined(),
  );
});

describe('a worker’s id', () => {
  it.each(NAMES)('of the function %s names it, and no other container is named so', (text) => {
    const name = must(parseFunctionName(text));
    const id = newWorkerId(name, '4c1ed9b2-0000-4000-8000-0123456789ab');
    expect(id).toBe(`fn-${text}-0123456789ab`);
    expect(functionOfWorker(must(parseWorkerId(id)))).toBe(text);
    expect(parseAnyContainerId(id)).toBe(id);
    expect(parseContainerId(id)).toBeUndefined();
    expect(roleOfContainer(id)).toBe('function');
    expect(newWorkerId(name)).not.toBe(newWorkerId(name));
  });

  it.each([
    'fn-',
    'fn-a',
    'fn--0123456789ab',
    'fn-0123456789ab',
    'fn-a-0123456789aB',
    'fn-A-0123456789ab',
    'x',
  ])('is not %s', (text) => expect(parseWorkerId(text)).toBeUndefined());

  it('is told from those of conversations and workspaces', () => {
    expect(roleOfContainer(conversationContainerId('0123456789ab'))).toBe('conversation');
    const workspace = must(parseWorkspaceId('fn-a-0123456789ab'));
    expect(roleOfContainer(workspaceContainerId(workspace))).toBe('workspace');
  });
});
